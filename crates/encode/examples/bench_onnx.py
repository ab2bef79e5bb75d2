"""Times ONNX Runtime on the shapes and inputs of bench.rs; run by `cargo xtask bench encode`.

    pip install onnx==1.23.2 onnxruntime==1.31.1
    python bench_onnx.py FOLDER

In: lines `shape input threads engine`, the engine f32 or int8. Out, a line each: the median
milliseconds of as many rounds as fit into half a second, three at least. The graph is written with ONNX Runtime's own fused operators (Attention,
SkipLayerNormalization, BiasGelu), as its optimiser would leave a BERT; int8 is its dynamic
quantisation, weights per channel. The weights are noise. FOLDER takes the model files.
"""

import sys
import time
from functools import lru_cache
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

SHAPES = {"small": (12, 384, 12), "large": (24, 1024, 16)}
VOCABULARY = 1000


def bert(layers, width, heads):
    """The graph: ids (batch, tokens) and positions (1, tokens) to hidden states."""
    rng = np.random.default_rng(0)
    nodes, weights = [], []

    def weight(name, *shape, gain=False):
        values = rng.standard_normal(shape, dtype=np.float32) * np.float32(0.02)
        weights.append(numpy_helper.from_array(values + np.float32(gain), name))
        return name

    def node(kind, inputs, output, domain="", **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], output, domain=domain, **attributes))
        return output

    def skip_norm(name, x, skip, bias):
        gain, shift = weight(f"{name}.gain", width, gain=True), weight(f"{name}.shift", width)
        inputs = [x, skip, gain, shift] + ([bias] if bias else [])
        return node(
            "SkipLayerNormalization", inputs, name, domain="com.microsoft", epsilon=1e-12
        )

    tokens = node("Gather", [weight("tokens", VOCABULARY, width), "ids"], "token_rows")
    places = node("Gather", [weight("places", 512, width), "positions"], "place_rows")
    summed = node("Add", [tokens, places], "rows")
    x = node(
        "LayerNormalization",
        [summed, weight("gain", width, gain=True), weight("shift", width)],
        "embedded",
        epsilon=1e-12,
    )
    for i in range(layers):
        qkv = [weight(f"{i}.qkv", width, 3 * width), weight(f"{i}.qkv_bias", 3 * width)]
        mixed = node("Attention", [x, *qkv], f"{i}.mixed", domain="com.microsoft", num_heads=heads)
        out = node("MatMul", [mixed, weight(f"{i}.out", width, width)], f"{i}.projected")
        x = skip_norm(f"{i}.attended", out, x, weight(f"{i}.out_bias", width))
        wide = node("MatMul", [x, weight(f"{i}.up", width, 4 * width)], f"{i}.wide")
        bias = weight(f"{i}.up_bias", 4 * width)
        wide = node("BiasGelu", [wide, bias], f"{i}.gelu", domain="com.microsoft")
        down = node("MatMul", [wide, weight(f"{i}.down", 4 * width, width)], f"{i}.narrow")
        x = skip_norm(f"{i}.done", down, x, weight(f"{i}.down_bias", width))

    graph = helper.make_graph(
        nodes,
        "bert",
        [
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["batch", "tokens"]),
            helper.make_tensor_value_info("positions", TensorProto.INT64, [1, "tokens"]),
        ],
        [helper.make_tensor_value_info(x, TensorProto.FLOAT, ["batch", "tokens", width])],
        weights,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def median(run):
    """The median time of a call, in milliseconds."""
    run()
    times, started = [], time.perf_counter()
    while len(times) < 3 or (time.perf_counter() - started < 0.5 and len(times) < 200):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * 1e3


@lru_cache(maxsize=2)
def session(folder, shape, engine, threads):
    """A model in memory; it is written first where that was not done before."""
    f32, int8 = folder / f"{shape}.onnx", folder / f"{shape}.int8.onnx"
    if not int8.exists():
        onnx.save(bert(*SHAPES[shape]), f32)
        quantize_dynamic(
            f32,
            int8,
            per_channel=True,
            weight_type=QuantType.QInt8,
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    # Both are asked in turn: between two turns its threads must not hold the processors.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    path = int8 if engine == "int8" else f32
    return ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def main():
    """Answers every row."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    ort.set_default_logger_severity(3)
    for row in sys.stdin:
        shape, name, threads, engine = row.split()
        batch, tokens = map(int, name.split("x"))
        model = session(folder, shape, engine, int(threads))
        ids = (5 + np.arange(tokens) * 7 % 900)[None].repeat(batch, 0)
        feeds = {"ids": ids, "positions": np.arange(tokens)[None]}
        print(f"{median(lambda: model.run(None, feeds)):.3f}", flush=True)


if __name__ == "__main__":
    main()

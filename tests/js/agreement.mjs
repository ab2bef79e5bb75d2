import init, * as concord from "/pkg/web/concord_wasm.js";
import { agent, ask } from "./ask.mjs";

const show = (id, text) => { document.getElementById(id).textContent = text; };
const number = (n) => n.toLocaleString("en");
const conclude = (verdict, text) => {
  document.getElementById("verdict").className = verdict;
  show("verdict", text);
};

async function load() {
  await init();
  show("version", concord.version());
  show("verdict", "comparing …");
  return concord;
}

function progress(answered, total) {
  document.getElementById("progress").value = answered / total;
  show("answered", `${number(answered)} of ${number(total)}`);
}

show("agent", agent());
try {
  const { answered, differences, example } = await ask(load, location.href, progress);
  show("differences", differences === 0 ? "0" : `${number(differences)}, first at ${example}`);
  if (differences === 0) conclude("agrees", `The same bits, in all ${number(answered)} cases.`);
  else conclude("differs", "This browser computes something else. Please report it.");
} catch (error) {
  conclude("differs", `The comparison could not be finished: ${error.message}`);
}

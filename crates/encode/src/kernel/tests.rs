//! Every kernel against the portable one.

use super::*;

/// Numbers that need not be good, only the same everywhere.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn float(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}

/// The dots themselves: bias, scale and zero point leave them as they are.
fn dots(kernel: Kernel, rows: &[u8], weights: &[i8], k: usize, n: usize) -> Vec<f32> {
    let padded = n.next_multiple_of(PANEL);
    let count = rows.len() / k;
    let sums: Vec<i32> = (0..padded)
        .map(|c| {
            let panel = &weights[c / PANEL * PANEL * k..][..PANEL * k];
            panel
                .chunks_exact(4 * PANEL)
                .flat_map(|group| &group[4 * (c % PANEL)..][..4])
                .map(|&w| i32::from(w))
                .sum()
        })
        .collect();
    let panels = Panels {
        inputs: k,
        outputs: n,
        column: 0,
        weights,
        scales: &vec![1.0; padded],
        sums: &sums,
        bias: &vec![0.0; padded],
    };
    // A zero point of 0 and a scale of 1: what comes out is `dot as f32`.
    let input = Quantised::of(rows.to_vec(), k, vec![1.0; count], vec![0; count]);
    let mut out = vec![f32::NAN; count * n];
    kernel.linear(&input, &panels, Finish::Store, &mut out);
    out
}

fn check(rows: &[u8], weights: &[i8], k: usize, n: usize) {
    let portable = *Kernel::available().last().expect("one at least");
    let expected = dots(portable, rows, weights, k, n);
    for kernel in Kernel::available() {
        assert_eq!(
            dots(kernel, rows, weights, k, n),
            expected,
            "{} differs from portable at k {k}, n {n}, {} rows",
            kernel.name(),
            rows.len() / k
        );
    }
}

/// With k ≤ 512 a dot stays below 2^24, so that its f32 shows every bit.
#[test]
fn every_kernel_gives_the_portable_dot_products_bit_for_bit() {
    let mut noise = Noise(0x9E37_79B9_7F4A_7C15);
    for (k, n) in [
        (4_usize, 1_usize),
        (32, 64),
        (100, 65),
        (384, 200),
        (512, 128),
    ] {
        for count in 1..=13 {
            let rows: Vec<u8> = (0..count * k).map(|_| noise.next() as u8).collect();
            let weights: Vec<i8> = (0..n.next_multiple_of(PANEL) * k)
                .map(|_| (noise.next() % 255) as i16 as i8)
                .map(|w| w.max(-127))
                .collect();
            check(&rows, &weights, k, n);
        }
    }
}

#[test]
fn the_extremes_do_not_overflow_in_any_kernel() {
    let (k, n) = (512, 64);
    for u in [0, 1, 127, 128, 255] {
        for w in [-127, -1, 0, 1, 127] {
            check(&vec![u; 7 * k], &vec![w; n * k], k, n);
        }
    }
    // Alternating signs, so that a saturated pair could not hide in the sum.
    let rows: Vec<u8> = (0..7 * k)
        .map(|i| if i % 2 == 0 { 255 } else { 0 })
        .collect();
    let weights: Vec<i8> = (0..n * k)
        .map(|i| if i % 3 == 0 { 127 } else { -127 })
        .collect();
    check(&rows, &weights, k, n);
}

#[test]
fn quantised_rows_are_within_half_a_step() {
    let mut noise = Noise(7);
    let rows: Vec<f32> = (0..5 * 96).map(|_| noise.float() * 3.0 + 1.0).collect();
    for kernel in Kernel::available() {
        let mut quantised = Quantised::default();
        kernel.quantise(&rows, 96, &mut quantised);
        for (row, back) in rows.chunks(96).zip(quantised.restored()) {
            let spread = row.iter().fold(0.0_f32, |a, b| a.max(*b))
                - row.iter().fold(0.0_f32, |a, b| a.min(*b));
            for (x, y) in row.iter().zip(back) {
                assert!((x - y).abs() <= spread / 255.0 * 1.01, "{x} became {y}");
            }
        }
    }
}

#[test]
fn a_row_of_zeros_stays_zero() {
    let mut quantised = Quantised::default();
    Kernel::best().quantise(&[0.0; 64], 64, &mut quantised);
    assert_eq!(quantised.restored().next(), Some(vec![0.0; 64]));
}

#[test]
fn gelu_and_exp_are_true_to_their_definitions() {
    for i in -8_000_i32..8_000 {
        let x = i as f32 / 1_000.0;
        let expected = f64::from(x) * 0.5 * (1.0 + libm::erf(f64::from(x) / 2.0_f64.sqrt()));
        assert!(
            (f64::from(float::gelu(x)) - expected).abs() < 1e-6,
            "gelu({x})"
        );
        let x = -(i.abs() as f32) / 100.0;
        let (got, expected) = (f64::from(float::exp(x)), f64::from(x).exp());
        assert!((got - expected).abs() <= 3e-7 * expected, "exp({x})");
    }
    assert!(float::exp(-1e30) < 1e-37);
}

#[test]
fn attention_is_the_textbook_formula_in_every_kernel() {
    let mut noise = Noise(11);
    for (tokens, heads, head) in [(1, 1, 32), (5, 2, 32), (33, 3, 64), (70, 2, 24)] {
        let hidden = heads * head;
        let rows: Vec<f32> = (0..tokens * 3 * hidden).map(|_| noise.float()).collect();
        let expected = textbook(&rows, tokens, heads, head);
        let split = tokens / 2;
        for kernel in Kernel::available() {
            for cut in [0, split] {
                let (mut a, mut b) = (Keys::default(), Keys::default());
                a.take(&rows[..cut * 3 * hidden], heads, head);
                b.take(&rows[cut * 3 * hidden..], heads, head);
                let queries = Queries {
                    rows: &rows,
                    stride: 3 * hidden,
                    heads,
                    head,
                };
                let mut out = vec![0.0; tokens * hidden];
                kernel.attend(&queries, &[&a, &b], &mut Vec::new(), &mut out);
                for (got, expected) in out.iter().zip(&expected) {
                    assert!(
                        (f64::from(*got) - expected).abs() < 1e-5,
                        "{}",
                        kernel.name()
                    );
                }
            }
        }
    }
}

fn textbook(rows: &[f32], tokens: usize, heads: usize, head: usize) -> Vec<f64> {
    let hidden = heads * head;
    let at = |token: usize, block: usize, h: usize, d: usize| {
        f64::from(rows[token * 3 * hidden + block * hidden + h * head + d])
    };
    let mut out = vec![0.0; tokens * hidden];
    for h in 0..heads {
        for i in 0..tokens {
            let weights: Vec<f64> = (0..tokens)
                .map(|j| {
                    (0..head)
                        .map(|d| at(i, 0, h, d) * at(j, 1, h, d))
                        .sum::<f64>()
                        .exp()
                })
                .collect();
            let sum: f64 = weights.iter().sum();
            for d in 0..head {
                out[i * hidden + h * head + d] = (0..tokens)
                    .map(|j| weights[j] * at(j, 2, h, d))
                    .sum::<f64>()
                    / sum;
            }
        }
    }
    out
}

#[test]
fn layer_norm_gives_mean_zero_and_variance_one_before_gain_and_bias() {
    let mut noise = Noise(3);
    for kernel in Kernel::available() {
        let mut row: Vec<f32> = (0..100).map(|_| noise.float() * 5.0 + 2.0).collect();
        kernel.layer_norm(&mut row, &[2.0; 100], &[1.0; 100], 1e-12);
        let mean = row.iter().sum::<f32>() / 100.0;
        let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / 100.0;
        assert!((mean - 1.0).abs() < 1e-5 && (variance - 4.0).abs() < 1e-4);
    }
}

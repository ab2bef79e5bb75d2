/** Notes and links as SVG. One stop of the Tab key; arrows go to the nearest note that way, Enter opens it. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { towards } from "./layout";
import { placeNames } from "./names";

export interface Dot {
  readonly id: string;
  readonly label: string;
  readonly about: string;
  /** In the unit square. */
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly kind: string;
  readonly strong: boolean;
  readonly dashed: boolean;
}

interface Props {
  readonly dots: readonly Dot[];
  readonly arrows: readonly (readonly [number, number])[];
  readonly lines: readonly (readonly [number, number])[];
  /** Radii of hop rings, in the unit square. */
  readonly circles: readonly number[];
  readonly onOpen: (id: string) => void;
}

const WIDTH = 960;
const HEIGHT = 600;
const FONT = 12;

export function Picture({ dots, arrows, lines, circles, onOpen }: Props) {
  const current = useSignal(0);
  const svg = useRef<SVGSVGElement>(null);
  // Names keep their size on the screen however small the picture is.
  const scale = useSignal(1);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) scale.value = Math.max(1, WIDTH / entry.contentRect.width);
    });
    if (svg.current) watch.observe(svg.current);
    return () => watch.disconnect();
  }, []);
  const big = scale.value;
  const grown = growth(big);
  // Rings are circles, so a walk is drawn in a square within the picture.
  const side = circles.length > 0 ? HEIGHT : WIDTH;
  const left = (WIDTH - side) / 2;
  const X = (x: number) => left + x * side;
  const Y = (y: number) => y * HEIGHT;
  const at = Math.min(current.value, dots.length - 1);
  const named = placeNames(
    dots.map(({ x, y, size, label }) => ({ x: X(x), y: Y(y), radius: size * grown, text: shortened(label) })),
    inOrder(dots, at),
    FONT * big,
    [WIDTH, HEIGHT],
  );
  return (
    <figure class="picture">
      <svg
        ref={svg}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="group"
        aria-label={`${dots.length} notes; arrow keys move between them, Enter opens one`}
      >
        {circles.map((radius) => (
          <circle key={radius} class="ring" cx={X(0.5)} cy={Y(0.5)} r={radius * HEIGHT} />
        ))}
        <g aria-hidden="true">
          {lines.map(([a, b]) => (
            <Edge
              key={`w${a}-${b}`}
              from={dots[a]!}
              to={dots[b]!}
              x={X}
              y={Y}
              grown={grown}
              kind="association"
              lit={a === at || b === at}
            />
          ))}
          {arrows.map(([a, b]) => (
            <Edge
              key={`c${a}-${b}`}
              from={dots[a]!}
              to={dots[b]!}
              x={X}
              y={Y}
              grown={grown}
              kind="citation"
              lit={a === at || b === at}
            />
          ))}
        </g>
        {dots.map((dot, i) => (
          <g
            key={dot.id}
            class={`dot ${dot.kind} ${dot.strong ? "strong" : ""} ${dot.dashed ? "dashed" : ""} ${named.has(i) ? "named" : ""}`}
            role="button"
            tabIndex={i === at ? 0 : -1}
            aria-label={`${dot.label}: ${dot.about}`}
            data-dot={i}
            onClick={() => {
              current.value = i;
              onOpen(dot.id);
            }}
            onFocus={() => {
              current.value = i;
            }}
            onKeyDown={(event) => {
              if (event.key === "Enter" || event.key === " ") {
                event.preventDefault();
                onOpen(dot.id);
              } else if (event.key.startsWith("Arrow")) {
                event.preventDefault();
                const next = towards(dots, i, event.key);
                current.value = next;
                svg.current?.querySelector<SVGGElement>(`[data-dot="${next}"]`)?.focus();
              }
            }}
          >
            <title>{`${dot.label}\n${dot.about}`}</title>
            <circle cx={X(dot.x)} cy={Y(dot.y)} r={dot.size * grown} />
          </g>
        ))}
        <g class="names" aria-hidden="true">
          {[...named].map(([i, { x, y }]) => (
            <text
              key={dots[i]!.id}
              x={x}
              y={y}
              class={i === at ? "current" : ""}
              font-size={FONT * big}
              text-anchor="middle"
            >
              {shortened(dots[i]!.label)}
            </text>
          ))}
        </g>
      </svg>
      <figcaption>
        {dots[at] ? (
          <>
            <b>
              <bdi>{dots[at].label}</bdi>
            </b>{" "}
            {dots[at].about}
          </>
        ) : null}
      </figcaption>
    </figure>
  );
}

const shortened = (label: string): string => (label.length > 28 ? `${label.slice(0, 27)}…` : label);

/** How much larger dots are drawn in a small picture. */
const growth = (big: number): number => Math.min(big, 1.8);

/** The chosen one, then those in the list, then the larger ones. */
function inOrder(dots: readonly Dot[], at: number): readonly number[] {
  const first = (i: number) => Number(i === at) * 2 + Number(dots[i]!.strong);
  return [...dots.keys()].sort((a, b) => first(b) - first(a) || dots[b]!.size - dots[a]!.size || a - b);
}

interface EdgeProps {
  readonly from: Dot;
  readonly to: Dot;
  readonly x: (x: number) => number;
  readonly y: (y: number) => number;
  /** How much larger than their size the dots are drawn, so that none covers an arrow's tip. */
  readonly grown: number;
  readonly kind: string;
  readonly lit: boolean;
}

function Edge({ from, to, x, y, grown, kind, lit }: EdgeProps) {
  const [x1, y1, x2, y2] = [x(from.x), y(from.y), x(to.x), y(to.y)];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const gap = to.size * Math.max(grown, 1.2) + 2;
  const tip = [x2 - ux * gap, y2 - uy * gap] as const;
  const wing = (side: number) => `${tip[0] - ux * 7 + side * uy * 3.2} ${tip[1] - uy * 7 - side * ux * 3.2}`;
  return (
    <g class={`edge ${kind} ${lit ? "lit" : ""}`}>
      <path d={`M${x1} ${y1}L${tip[0]} ${tip[1]}`} />
      {kind === "citation" ? <path class="tip" d={`M${tip[0]} ${tip[1]}L${wing(1)}L${wing(-1)}Z`} /> : null}
    </g>
  );
}

// Records per second of each subtask over time.

import { html, ownerClass, rate, time, useEffect, useRef, useState } from './common.js';

const HEIGHT = 150;
const TOP = 8;
const LEFT = 56;
const BOTTOM = HEIGHT - 24;
/** From one line of the grid to the next, at least. */
const ROW = 34;
const COLUMN = 90;

const round = (value) => Math.round(value * 10) / 10;

/** 1, 2 or 5 times a power of ten. */
function step(atLeast) {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  return power * [1, 2, 5, 10].find((n) => n * power >= atLeast);
}

/** Milliseconds. */
function timeStep(atLeast) {
  return [1, 2, 5, 10, 15, 30, 60, 120, 300].map((s) => s * 1000).find((ms) => ms >= atLeast) || 600000;
}

function multiples(by, from, to) {
  const all = [];
  for (let value = Math.ceil(from / by) * by; value <= to; value += by) all.push(value);
  return all;
}

/**
 * samples: at least two [epoch ms, [records/s by subtask]], oldest first
 * rescales: [[from, to], ...] in epoch ms
 */
export function RateChart({ samples, rescales }) {
  const place = useRef();
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const resized = new ResizeObserver(() => setWidth(place.current.clientWidth));
    resized.observe(place.current);
    return () => resized.disconnect();
  }, []);

  const first = samples[0][0];
  const [end, latest] = samples[samples.length - 1];
  const subtasks = samples.reduce((most, [, rates]) => Math.max(most, rates.length), 0);
  const top = Math.max(1, 1.1 * samples.reduce((most, [, rates]) => Math.max(most, ...rates), 0));
  const room = Math.max(width - LEFT, 1);
  const x = (at) => round(LEFT + (room * (at - first)) / (end - first));
  const y = (value) => round(BOTTOM - ((BOTTOM - TOP) * value) / top);

  // a subtask that is not there leaves a gap
  const line = (subtask) => {
    let path = '';
    let drawing = false;
    for (const [at, rates] of samples) {
      const there = Number.isFinite(rates[subtask]);
      if (there) path += `${drawing ? 'L' : 'M'}${x(at)} ${y(rates[subtask])}`;
      drawing = there;
    }
    return path;
  };
  const band = ([from, to]) => {
    const left = Math.max(x(from), LEFT);
    const right = Math.min(x(to), width);
    return right > left && html`<rect class="band" x=${left} y=${TOP} width=${Math.max(right - left, 2)} height=${BOTTOM - TOP} />`;
  };

  return html`<div
    class="chart"
    ref=${place}
    role="img"
    aria-label=${`Records per second of each subtask over time; the latest: ${latest.map((r, i) => `subtask ${i} ${rate(r)}`).join(', ')}`}
  >${width > 0 && html`<svg width=${width} height=${HEIGHT} aria-hidden="true">
    ${rescales.map(band)}
    ${multiples(step((top * ROW) / (BOTTOM - TOP)), 0, top).map((value) => html`
      <line class="grid" x1=${LEFT} x2=${width} y1=${y(value)} y2=${y(value)} />
      <text x=${LEFT - 8} y=${y(value) + 4} text-anchor="end">${rate(value)}</text>`)}
    ${multiples(timeStep(((end - first) * COLUMN) / room), first, end).map((at) => html`
      <text x=${Math.min(Math.max(x(at), LEFT + 24), width - 26)} y=${HEIGHT - 6} text-anchor="middle">${time(at)}</text>`)}
    ${Array.from({ length: subtasks }, (_, i) => html`<path class=${ownerClass(i)} d=${line(i)} />`)}
  </svg>`}</div>`;
}

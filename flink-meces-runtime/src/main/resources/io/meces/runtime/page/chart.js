// Numbers over time, with the rescales in between.

import { html, ownerClass, time, useEffect, useRef, useState } from './common.js';

const TOP = 8;
const LEFT = 56;
const RIGHT = 3;
const BELOW = 24;
/** From one line of the grid to the next, at least. */
const ROW = 26;
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
 * title: what it shows; show: a number in words; least: how far the scale goes at least
 * times: at least two, in epoch ms, oldest first
 * values: at each time those of all subtasks, or a number for the whole; what is not known leaves a gap
 * rescales: [[from, to, text], ...] in epoch ms
 */
export function Chart({ title, show, least = 1, height, times, values, rescales }) {
  const place = useRef();
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const resized = new ResizeObserver(() => setWidth(place.current.clientWidth));
    resized.observe(place.current);
    return () => resized.disconnect();
  }, []);

  const ofSubtasks = values.some(Array.isArray);
  const points = values.map((at) => (Array.isArray(at) ? at : [at]));
  const first = times[0];
  const end = times[times.length - 1];
  const bottom = height - BELOW;
  const lines = points.reduce((most, at) => Math.max(most, at.length), 0);
  const top = Math.max(least, 1.1 * points.reduce((most, at) => Math.max(most, ...at), 0));
  const room = Math.max(width - LEFT - RIGHT, 1);
  const x = (at) => round(LEFT + (room * (at - first)) / (end - first));
  const y = (value) => round(bottom - ((bottom - TOP) * value) / top);

  const line = (index) => {
    let path = '';
    let drawing = false;
    points.forEach((at, i) => {
      const there = Number.isFinite(at[index]);
      // a point without others is a dot
      if (there) path += `${drawing ? 'L' : 'M'}${x(times[i])} ${y(at[index])}${drawing ? '' : 'h0'}`;
      drawing = there;
    });
    return path;
  };
  const band = ([from, to, text]) => {
    const left = Math.max(x(from), LEFT);
    const right = Math.min(x(to), width - RIGHT);
    return right >= left && html`<rect class="band" x=${left} y=${TOP} width=${Math.max(right - left, 2)} height=${bottom - TOP}><title>${text}</title></rect>`;
  };
  const latest = points[points.length - 1];
  const inWords = ofSubtasks ? latest.map((value, i) => `subtask ${i} ${show(value)}`).join(', ') : show(latest[0]);

  return html`<h3>${title}</h3><div
    class="chart"
    style=${{ height: `${height}px` }}
    ref=${place}
    role="img"
    aria-label=${`${title}, over time; the latest: ${inWords}`}
  >${width > 0 && html`<svg width=${width} height=${height} aria-hidden="true">
    ${rescales.map(band)}
    ${multiples(step((top * ROW) / (bottom - TOP)), 0, top).map((value) => html`
      <line class="grid" x1=${LEFT} x2=${width - RIGHT} y1=${y(value)} y2=${y(value)} />
      <text x=${LEFT - 8} y=${y(value) + 4} text-anchor="end">${show(value)}</text>`)}
    ${multiples(timeStep(((end - first) * COLUMN) / room), first, end).map((at) => html`
      <text x=${Math.min(Math.max(x(at), LEFT + 24), width - 26)} y=${height - 6} text-anchor="middle">${time(at)}</text>`)}
    ${Array.from({ length: lines }, (_, i) => html`<path class=${ofSubtasks ? ownerClass(i) : 'whole'} d=${line(i)} />`)}
  </svg>`}</div>`;
}

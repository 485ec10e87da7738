// Records per second of each subtask over time.

import { html, COLOURS, css, rate, useEffect, useRef, useTheme } from './common.js';

const HEIGHT = 150;

function options(subtasks, bands, width) {
  const muted = css('--muted');
  const line = css('--line');
  const axis = { stroke: muted, font: '11px system-ui', grid: { stroke: line, width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    select: { show: false },
    scales: { y: { range: (u, min, max) => [0, Math.max(max * 1.1, 1)] } },
    axes: [
      { ...axis, grid: { show: false }, space: 90, values: (u, ticks) => ticks.map((t) => new Date(t * 1000).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })) },
      { ...axis, size: 56, space: 34, values: (u, ticks) => ticks.map((t) => rate(t)) },
    ],
    series: [
      {},
      ...Array.from({ length: subtasks }, (_, i) => ({
        stroke: css(`--owner-${i % COLOURS}`),
        width: 2,
        points: { show: false },
        spanGaps: false,
      })),
    ],
    hooks: {
      drawClear: [
        (u) => {
          u.ctx.fillStyle = css('--band');
          for (const [from, to] of bands.current) {
            const left = Math.max(u.valToPos(from / 1000, 'x', true), u.bbox.left);
            const right = Math.min(u.valToPos(to / 1000, 'x', true), u.bbox.left + u.bbox.width);
            if (right > left) u.ctx.fillRect(left, u.bbox.top, Math.max(right - left, 2), u.bbox.height);
          }
        },
      ],
    },
  };
}

/**
 * samples: [[epoch ms, [records/s by subtask]], ...], oldest first
 * rescales: [[from, to], ...] in epoch ms
 */
export function RateChart({ samples, rescales }) {
  const place = useRef();
  const plot = useRef(null);
  const bands = useRef(rescales);
  bands.current = rescales;
  const theme = useTheme();
  const subtasks = samples.reduce((most, [, rates]) => Math.max(most, rates.length), 0);
  const data = [samples.map(([at]) => at / 1000)];
  for (let i = 0; i < subtasks; i++) data.push(samples.map(([, rates]) => (i < rates.length ? rates[i] : null)));

  useEffect(() => {
    plot.current = new uPlot(options(subtasks, bands, place.current.clientWidth), data, place.current);
    const resized = new ResizeObserver(() => plot.current.setSize({ width: place.current.clientWidth, height: HEIGHT }));
    resized.observe(place.current);
    return () => {
      resized.disconnect();
      plot.current.destroy();
    };
  }, [subtasks, theme]);
  useEffect(() => {
    plot.current.setData(data);
  }, [samples]);

  const last = samples[samples.length - 1];
  return html`<div
    class="chart"
    ref=${place}
    role="img"
    aria-label=${`Records per second of each subtask over time; the latest: ${last[1].map((r, i) => `subtask ${i} ${rate(r)}`).join(', ')}`}
  ></div>`;
}

// Key-groups as a grid: to be looked into by mouse and keyboard, and in small as the picture of a plan.

import { html, Component, COLOURS, count, bytes, rate, css, ownerClass, useEffect, useRef, useState, useTheme } from './common.js';

/** Enough that it is about as wide as it is high, and a power of 2, so that contiguous ranges align. */
export function columnsOf(keyGroups) {
  let columns = 16;
  while (columns * columns < keyGroups) columns *= 2;
  return columns;
}

/** Rendered anew only where it has changed: there may be thousands. */
class Cell extends Component {
  shouldComponentUpdate(next) {
    return Object.keys(next).some((key) => next[key] !== this.props[key]);
  }

  render({ index, owner, value, label, current, text }) {
    return html`<div
      role="gridcell"
      class=${`cell ${value === null ? ownerClass(owner) : 'heat'}`}
      style=${value === null ? undefined : { '--v': `${Math.round(value * 100)}%` }}
      data-index=${index}
      data-owner=${owner}
      tabindex=${current ? 0 : -1}
      aria-label=${label}
    >${text}</div>`;
  }
}

const MODES = [
  ['owner', 'Owner'],
  ['load', 'Load'],
  ['state', 'State'],
];

/** How many cells are elements of the page; more are drawn: all of them change each second while a rescale runs. */
const MOST_ELEMENTS = 1024;

/** The values that a mode shows; null: they are not known. */
function valuesOf(keyGroups, mode) {
  if (mode === 'load') return keyGroups['records-per-second'];
  if (mode === 'state') return keyGroups['state-bytes'] || keyGroups.entries;
  return null;
}

/**
 * The owners, loads or sizes of all key-groups of a vertex.
 *
 * highlight: the subtask whose key-groups stand out; null: none
 */
export function KeyGroupGrid({ owners, keyGroups, mode, setMode, highlight }) {
  const [current, setCurrent] = useState(0);
  const [pointed, setPointed] = useState(null);
  const grid = useRef();
  const columns = columnsOf(owners.length);
  const values = keyGroups ? valuesOf(keyGroups, mode) : null;
  const largest = values ? values.reduce((a, b) => Math.max(a, b), 0) : 0;
  const heat = values && values.map((value) => (largest > 0 ? value / largest : 0));
  const inBytes = mode === 'state' && keyGroups && keyGroups['state-bytes'];
  const show = mode === 'load' ? (v) => `${rate(v)}/s` : inBytes ? bytes : (v) => `${count(v)} entries`;

  function describe(index) {
    let text = `Key-group ${index}: subtask ${owners[index]}`;
    if (keyGroups) {
      if (keyGroups['records-per-second']) text += `, ${rate(keyGroups['records-per-second'][index])} records/s`;
      if (keyGroups.entries) text += `, ${count(keyGroups.entries[index])} entries`;
      if (keyGroups['state-bytes']) text += `, ${bytes(keyGroups['state-bytes'][index])} in the last checkpoint`;
    }
    return text;
  }

  function move(to) {
    const index = Math.max(0, Math.min(owners.length - 1, to));
    setCurrent(index);
    if (grid.current) grid.current.querySelector(`[data-index="${index}"]`).focus();
  }

  function onKeyDown(event) {
    const steps = {
      ArrowRight: current + 1,
      ArrowLeft: current - 1,
      ArrowDown: current + columns < owners.length ? current + columns : current,
      ArrowUp: current >= columns ? current - columns : current,
      Home: event.ctrlKey ? 0 : current - (current % columns),
      End: event.ctrlKey ? owners.length - 1 : current - (current % columns) + columns - 1,
    };
    if (event.key in steps) {
      event.preventDefault();
      move(steps[event.key]);
    }
  }

  const indexAt = (event) => {
    const cell = event.target.closest('.cell');
    return cell ? Number(cell.dataset.index) : null;
  };
  function rows() {
    const all = [];
    for (let start = 0; start < owners.length; start += columns) {
      const cells = [];
      for (let index = start; index < Math.min(start + columns, owners.length); index++) {
        cells.push(html`<${Cell}
          key=${index}
          index=${index}
          owner=${owners[index]}
          value=${heat ? heat[index] : null}
          label=${describe(index)}
          current=${index === current}
          text=${!heat && columns <= 16 ? owners[index] : ''}
        />`);
      }
      all.push(html`<div role="row" class="row" key=${start}>${cells}</div>`);
    }
    return all;
  }
  const shown = Math.min(pointed === null ? current : pointed, owners.length - 1);
  return html`
    <div class="grid-head">
      <fieldset class="modes">
        <legend class="hidden">Colour the key-groups by</legend>
        ${MODES.map(
          ([key, name]) => html`<label key=${key}>
            <input type="radio" name="mode" value=${key} checked=${mode === key} onChange=${() => setMode(key)} />
            <span>${name}</span>
          </label>`,
        )}
      </fieldset>
      <${Legend} mode=${mode} largest=${values ? show(largest) : null} owners=${owners} />
    </div>
    ${owners.length > MOST_ELEMENTS
      ? html`<${DrawnGrid} owners=${owners} heat=${heat} columns=${columns} highlight=${highlight} current=${shown} describe=${describe} onKeyDown=${onKeyDown} onPoint=${setPointed} onChoose=${setCurrent} />`
      : html`<div
      ref=${grid}
      role="grid"
      aria-label="Key-groups"
      aria-readonly="true"
      class=${`key-groups c${columns} ${highlight === null ? '' : 'highlighting'}`}
      style=${{ '--columns': columns }}
      onKeyDown=${onKeyDown}
      onFocusIn=${(event) => indexAt(event) !== null && setCurrent(indexAt(event))}
      onMouseOver=${(event) => setPointed(indexAt(event))}
      onMouseLeave=${() => setPointed(null)}
      onMouseDown=${(event) => indexAt(event) !== null && setCurrent(indexAt(event))}
    >${rows()}</div>
    <${Highlight} grid=${grid} owners=${owners} subtask=${highlight} />`}
    <p class="details" role="status" aria-live=${pointed === null ? 'polite' : 'off'}>
      <span class=${`swatch ${ownerClass(owners[shown])}`}></span>
      ${describe(shown)}
    </p>
  `;
}

/** The same as a drawing: one stop of the keyboard, in which the arrow keys move. */
function DrawnGrid({ owners, heat, columns, highlight, current, describe, onKeyDown, onPoint, onChoose }) {
  const canvas = useRef();
  const theme = useTheme();
  const [room, setRoom] = useState(0);
  useEffect(() => {
    const resized = new ResizeObserver(([{ contentRect }]) => setRoom(contentRect.width));
    resized.observe(canvas.current.parentElement);
    return () => resized.disconnect();
  }, []);
  const rows = Math.ceil(owners.length / columns);
  // in pixels of the screen, as whole numbers: else the lines between are uneven
  const size = Math.max(1, Math.floor((room * devicePixelRatio) / columns));
  const gap = size > 4 ? 1 : 0;
  useEffect(() => {
    const context = canvas.current.getContext('2d');
    context.clearRect(0, 0, columns * size, rows * size);
    const colours = heat ? ramp() : Array.from({ length: COLOURS }, (_, i) => css(`--owner-${i}`));
    owners.forEach((owner, index) => {
      context.globalAlpha = highlight === null || highlight === owner ? 1 : 0.2;
      context.fillStyle = heat ? colours[Math.round(heat[index] * (colours.length - 1))] : colours[owner % COLOURS];
      context.fillRect((index % columns) * size, Math.floor(index / columns) * size, size - gap, size - gap);
    });
    context.globalAlpha = 1;
    context.strokeStyle = css('--text');
    context.lineWidth = 2;
    context.strokeRect((current % columns) * size - 1, Math.floor(current / columns) * size - 1, size + 1, size + 1);
  }, [owners, heat, highlight, current, theme, size]);
  const indexAt = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * columns);
    const index = Math.floor(((event.clientY - box.top) / box.height) * rows) * columns + column;
    return index >= 0 && index < owners.length ? index : null;
  };
  return html`<canvas
    ref=${canvas}
    width=${columns * size}
    height=${rows * size}
    class="drawn"
    style=${{ width: `${(columns * size) / devicePixelRatio}px` }}
    tabindex="0"
    role="application"
    aria-roledescription="grid"
    aria-label=${`Key-groups. Arrow keys move. ${describe(current)}`}
    onKeyDown=${onKeyDown}
    onMouseMove=${(event) => onPoint(indexAt(event))}
    onMouseLeave=${() => onPoint(null)}
    onMouseDown=${(event) => indexAt(event) !== null && onChoose(indexAt(event))}
  ></canvas>`;
}

/** The colours from nothing to the most. */
function ramp() {
  const colours = [];
  for (let percent = 0; percent <= 100; percent += 4) {
    colours.push(`color-mix(in oklab, ${css('--high')} ${percent}%, ${css('--low')})`);
  }
  return colours;
}

/** By classes of the cells, so that pointing at a subtask does not render them anew. */
function Highlight({ grid, owners, subtask }) {
  useEffect(() => {
    for (const cell of grid.current.querySelectorAll('.cell')) {
      cell.classList.toggle('lit', Number(cell.dataset.owner) === subtask);
    }
  }, [owners, subtask]);
  return null;
}

function Legend({ mode, largest, owners }) {
  if (mode !== 'owner') {
    return largest === null
      ? html`<p class="legend">not known at the moment</p>`
      : html`<p class="legend">0 <span class="ramp" aria-hidden="true"></span> ${largest}</p>`;
  }
  const subtasks = owners.reduce((a, b) => Math.max(a, b), 0) + 1;
  return html`<p class="legend">
    ${subtasks > COLOURS ? `colours of subtasks; they repeat after ${COLOURS}` : 'colours of subtasks, as in the table'}
  </p>`;
}

/** A plan as a picture: key-groups that move have the colour of their new owner, the others are pale. */
export function PlanPicture({ owners, moved, label }) {
  const canvas = useRef();
  const theme = useTheme();
  useEffect(() => {
    const columns = columnsOf(owners.length);
    const rows = Math.ceil(owners.length / columns);
    const size = Math.max(2, Math.floor(512 / columns));
    const gap = size > 8 ? 2 : size > 4 ? 1 : 0;
    canvas.current.width = columns * size;
    canvas.current.height = rows * size;
    const context = canvas.current.getContext('2d');
    const colours = [];
    for (let i = 0; i < COLOURS; i++) colours.push(css(`--owner-${i}`));
    owners.forEach((owner, index) => {
      const moves = moved.has(index);
      context.globalAlpha = moves ? 1 : 0.22;
      context.fillStyle = colours[(moves ? moved.get(index) : owner) % COLOURS];
      context.fillRect((index % columns) * size, Math.floor(index / columns) * size, size - gap, size - gap);
    });
  }, [owners, moved, theme]);
  return html`<canvas ref=${canvas} role="img" aria-label=${label} class="picture"></canvas>`;
}

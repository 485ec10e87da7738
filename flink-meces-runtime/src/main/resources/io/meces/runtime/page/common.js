// What all parts of the page share: the renderer, numbers in words, colours.

export const { h, render, Component, Fragment } = preact;
export const { useEffect, useLayoutEffect, useMemo, useRef, useState } = preactHooks;
export const html = htm.bind(h);

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** What stands for a number that is not known. */
export const UNKNOWN = '–';

const known = (value) => value !== null && value !== undefined && Number.isFinite(value);

export const count = (value) => (known(value) ? whole.format(value) : UNKNOWN);

/** Records per second. */
export function rate(value) {
  if (!known(value)) return UNKNOWN;
  return value > 0 && value < 10 ? tenth.format(value) : whole.format(value);
}

export function bytes(value) {
  if (!known(value)) return UNKNOWN;
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? whole.format(value) : tenth.format(value)} ${units[unit]}`;
}

export function millis(value) {
  if (!known(value)) return UNKNOWN;
  if (value < 1000) return `${value > 0 && value < 10 ? tenth.format(value) : whole.format(value)} ms`;
  if (value < 60000) return `${tenth.format(value / 1000)} s`;
  const seconds = Math.round(value / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

export const micros = (value) =>
  known(value) && value > 0 && value < 1000 ? `${whole.format(value)} µs` : millis(known(value) ? value / 1000 : null);

/** The share of a second, in percent. */
export const share = (msPerSecond) => (known(msPerSecond) ? `${whole.format(msPerSecond / 10)} %` : UNKNOWN);

export const time = (epochMillis) =>
  new Date(epochMillis).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

export const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? '' : 's'}`;

/** How many owners have a colour of their own (page.css); further ones begin anew. */
export const COLOURS = 24;

export const ownerClass = (subtask) => `o${subtask % COLOURS}`;

/** A variable of page.css, for what is drawn on a canvas. */
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Calls back when the user switches between light and dark. */
export function useTheme() {
  const [theme, setTheme] = useState(0);
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)');
    const changed = () => setTheme((n) => n + 1);
    media.addEventListener('change', changed);
    return () => media.removeEventListener('change', changed);
  }, []);
  return theme;
}

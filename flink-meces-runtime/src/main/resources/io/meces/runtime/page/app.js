// The page: what it asks for and how often, and what it consists of.

import { html, render, useEffect, useRef, useState, bytes, count, millis, ownerClass, plural, rate, share } from './common.js';
import { advice } from './advice.js';
import { api } from './api.js';
import { bounds, confirmed } from './bounds.js';
import { KeyGroupGrid } from './grid.js';
import { Chart } from './chart.js';
import { latency } from './latency.js';
import { Confirm, History, Planner, Running, Words, inWords } from './rescale.js';
import { isOutOfDate, withRates, withoutTimes } from './rates.js';
import { sampled } from './samples.js';
import { isFinal } from './states.js';

/** How often is asked, in ms: while a rescale runs, and else. */
const QUICK = 1000;
const SLOW = 5000;

const ENDED = ['FINISHED', 'CANCELED', 'FAILED', 'SUSPENDED'];

const address = new URLSearchParams(location.hash.slice(1));

function remember(key, value) {
  if (value) address.set(key, value);
  else address.delete(key);
  history.replaceState(null, '', `#${address}`);
}

/** Resolves to null instead of failing, if the JobManager has an answer, but not this one. */
const orNull = (promise) =>
  promise.catch((failure) => {
    if (failure.status === 0) throw failure;
    return null;
  });

/** What changes from one look to the next; asks the JobManager for it while the page can be seen. */
function useJobManager(jobId, vertexId) {
  const [seen, setSeen] = useState({});
  const [failure, setFailure] = useState(null);
  const [paused, setPaused] = useState(document.hidden);
  const wake = useRef(() => {});

  useEffect(() => {
    let stopped = false;
    let timer = 0;
    let asking = false;
    let again = false;
    let last = { samples: [], required: {}, at: 0 };

    async function look() {
      clearTimeout(timer);
      if (stopped || document.hidden) return;
      if (asking) {
        again = true;
        return;
      }
      asking = true;
      try {
        const now = await ask();
        if (!stopped) {
          last = now;
          setSeen(now);
          setFailure(null);
        }
      } catch (problem) {
        if (!stopped) setFailure(problem);
      }
      asking = false;
      if (again) last = { ...last, at: 0 };
      if (!stopped) timer = setTimeout(look, again ? 0 : last.running ? QUICK : SLOW);
      again = false;
    }

    async function ask() {
      // a rescale is looked at often, the rest seldom
      const all = !last.jobs || !last.running || Date.now() - last.at >= SLOW;
      const next = { ...last };
      let requirements = null;
      if (all) {
        next.at = Date.now();
        const [jobs, overview] = await Promise.all([api.jobs(), orNull(api.overview())]);
        next.jobs = jobs.sort((a, b) => b['start-time'] - a['start-time']);
        next.slots = overview && overview['slots-available'];
        next.flink = overview && overview['flink-version'];
      }
      const job =
        next.jobs.find((j) => j.jid === jobId) || next.jobs.find((j) => !ENDED.includes(j.state)) || next.jobs[0];
      next.job = job || null;
      if (!job || ENDED.includes(job.state)) {
        return { ...next, elasticity: null, running: null, rescales: [], keyGroups: null, vertices: [] };
      }
      const id = job.jid;
      if (all) {
        const [details, rescales, bounded] = await Promise.all([
          orNull(api.job(id)),
          orNull(api.rescales(id)),
          last.noRequirements ? null : orNull(api.requirements(id)),
        ]);
        requirements = bounded;
        next.vertices = withRates(details ? details.vertices : [], last.vertices, next.at);
        next.rescales = rescales || [];
        next.noRequirements = requirements === null;
      } else if (last.running) {
        const details = await orNull(api.rescale(id, last.running.id));
        if (details) next.rescales = last.rescales.map((r) => (r.id === details.id ? details : r));
      }
      next.running = next.rescales.find((r) => !isFinal(r.status)) || null;
      try {
        next.elasticity = await api.elasticity(id);
        next.refusal = null;
      } catch (refusal) {
        if (refusal.status === 0) throw refusal;
        next.elasticity = null;
        next.refusal = refusal;
      }
      if (all && !next.running) {
        next.bounds = bounds(requirements, next.elasticity);
        next.required = confirmed(next.bounds, last.bounds);
      }
      const elastic = next.elasticity ? next.elasticity.vertices : [];
      next.vertex = elastic.find((v) => v.id === vertexId) || elastic[0] || null;
      next.keyGroups = next.vertex ? await orNull(api.keyGroups(id, next.vertex.id)) : null;
      const outOfDate = isOutOfDate(next.at, last.at);
      if (next.keyGroups && outOfDate) next.keyGroups = withoutTimes(next.keyGroups);
      if (all) next.latency = next.vertex && !outOfDate ? await orNull(latency(id, next.vertex, next.at)) : null;
      next.samples = sampled(next, last, Date.now());
      return next;
    }

    wake.current = () => {
      last = { ...last, at: 0 };
      return look();
    };
    const onVisible = () => {
      setPaused(document.hidden);
      if (!document.hidden) look();
    };
    document.addEventListener('visibilitychange', onVisible);
    look();
    return () => {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [jobId, vertexId]);

  return { seen, failure, paused, lookNow: () => wake.current() };
}

/** Where Flink's own page shows a job, or a vertex of it. */
function inFlink(version, job, vertex) {
  const place = version && version.startsWith('1.12') ? `../#/job/${job}/overview` : `../#/job/running/${job}/overview`;
  return vertex ? `${place}/${vertex}/detail` : place;
}

function Vertices({ job, flink, vertices, elasticity, required, chosen, onChoose }) {
  const elastic = new Map((elasticity ? elasticity.vertices : []).map((v) => [v.id, v]));
  const anyRequired = Object.keys(required).length > 0;
  return html`<section class="panel" aria-labelledby="vertices-title">
    <h2 id="vertices-title">Vertices</h2>
    <div class="scroll"><table class="vertices">
      <thead><tr>
        <th scope="col">Vertex</th><th scope="col" class="number">Parallelism</th><th scope="col" class="number">Capacity</th>
        <th scope="col" class="number">Key-groups</th><th scope="col" class="number">Records/s in</th>
        ${anyRequired && html`<th scope="col" class="number" title="resource requirements, of an autoscaler or by hand">Required</th>`}
        <th scope="col" class="number"><span class="hidden">In Flink’s page</span></th>
      </tr></thead>
      <tbody>${vertices.map((v) => {
        const e = elastic.get(v.id);
        return html`<tr key=${v.id} class=${e ? (e.id === chosen ? 'chosen' : '') : 'fixed'}>
          <th scope="row" class="wrap">${e
            ? html`<button type="button" class="link" aria-pressed=${e.id === chosen} onClick=${() => onChoose(e.id)}>${v.name}</button>`
            : html`${v.name} <span class="tag">not elastic</span>`}</th>
          <td class="number">${count(e ? e.parallelism : v.parallelism)}</td>
          <td class="number">${e ? count(e.capacity) : ''}</td>
          <td class="number">${e ? count(e['max-parallelism']) : ''}</td>
          <td class="number">${rate(v.rate)}</td>
          ${anyRequired && html`<td class="number">${required[v.id]}</td>`}
          <td class="number"><a href=${inFlink(flink, job, v.id)} aria-label=${`${v.name} in Flink’s page`}>Flink</a></td>
        </tr>`;
      })}</tbody>
    </table></div>
  </section>`;
}

function Subtasks({ keyGroups, parallelism, onHighlight }) {
  const subtasks = keyGroups.subtasks;
  const most = Math.max(...subtasks.map((s) => s['records-per-second'] || 0), 1);
  return html`<div class="scroll subtasks" tabindex="0" role="group" aria-label="Subtasks"><table>
    <thead><tr>
      <th scope="col">Subtask</th><th scope="col" class="number">Key-groups</th><th scope="col" class="number">Records/s</th>
      <th scope="col" aria-hidden="true"></th>
      <th scope="col" class="number">Busy</th><th scope="col" class="number" title="waits for its consumers">Back-pr.</th>
      <th scope="col" class="number" title="in the last checkpoint">State</th>
    </tr></thead>
    <tbody>${subtasks.map((s, i) => html`<tr key=${i} onMouseEnter=${() => onHighlight(i)} onMouseLeave=${() => onHighlight(null)}>
      <th scope="row"><button type="button" class="link" aria-label=${`Subtask ${i}: show its key-groups`} onFocus=${() => onHighlight(i)} onBlur=${() => onHighlight(null)}>
        <span class=${`swatch ${ownerClass(i)}`}></span>${i}</button></th>
      <td class="number">${count(s['key-groups'])}</td>
      <td class="number">${rate(s['records-per-second'])}</td>
      <td class="bar"><span class=${ownerClass(i)} style=${{ width: `${(100 * (s['records-per-second'] || 0)) / most}%` }}></span></td>
      <td class="number">${share(s['busy-ms-per-second'])}</td>
      <td class="number">${share(s['back-pressured-ms-per-second'])}</td>
      <td class="number">${s['state-bytes'] !== null ? bytes(s['state-bytes']) : s.entries !== null ? plural(s.entries, 'entry').replace(/entrys$/, 'entries') : '–'}</td>
    </tr>`)}</tbody>
  </table></div>`;
}

/** What charts have in common; `of`: what one of them takes of a sample. */
function OverTime({ of, samples, rescales, ...more }) {
  return html`<div><${Chart}
    height=${104}
    ...${more}
    times=${samples.map((s) => s.at)}
    values=${samples.map(of)}
    rescales=${rescales.map((r) => [r['start-time'], r['start-time'] + r['duration-ms'], inWords(r)])}
  /></div>`;
}

function VertexPanel({ vertex, keyGroups, samples, rescales, running, mode, setMode }) {
  const [highlight, setHighlight] = useState(null);
  const owners = ownersOf(vertex);
  const todo = advice(vertex, keyGroups, samples, running);
  const seen = { samples, rescales };
  return html`<section class="panel vertex" aria-labelledby="vertex-title">
    <h2 id="vertex-title">${vertex.name}</h2>
    <p class="muted">${plural(vertex.parallelism, 'subtask')}, at most ${count(vertex.capacity)}. ${plural(vertex['max-parallelism'], 'key-group')} of ${plural(vertex['sub-groups'], 'sub-group')} each.</p>
    ${todo.length > 0 && html`<ul class="notice warning advice" aria-label="What to do">${todo.map((text) => html`<li key=${text}>${text}</li>`)}</ul>`}
    <div class="columns">
      <div class="column"><${KeyGroupGrid} owners=${owners} keyGroups=${keyGroups} mode=${mode} setMode=${setMode} highlight=${highlight} /></div>
      <div class="column">
        ${keyGroups && html`<${Subtasks} keyGroups=${keyGroups} onHighlight=${setHighlight} />`}
        ${samples.length > 1 && html`<${OverTime} title="Records per second" show=${rate} height=${150} of=${(s) => s.records} ...${seen} />`}
      </div>
    </div>
    ${samples.length > 1 && html`<div class="charts">
      <${OverTime} title="Busy" show=${share} least=${1000} of=${(s) => s.busy} ...${seen} />
      ${samples.some((s) => s.latency !== null) && html`<${OverTime} title="Latency markers, p99" show=${millis} of=${(s) => s.latency} ...${seen} />`}
      <${OverTime} title="Records that waited, per second" show=${rate} of=${(s) => s.waited} ...${seen} />
      <${OverTime} title="Longest wait of a record" show=${millis} of=${(s) => s.longest} ...${seen} />
    </div>`}
  </section>`;
}

function ownersOf(vertex) {
  const owners = new Array(vertex['max-parallelism']).fill(0);
  vertex['key-groups'].forEach((keyGroups, subtask) => keyGroups.forEach((keyGroup) => (owners[keyGroup] = subtask)));
  return owners;
}

function App() {
  const [jobId, setJobId] = useState(address.get('job'));
  const [vertexId, setVertexId] = useState(address.get('vertex'));
  const [mode, setMode] = useState(address.get('colour') || 'owner');
  const [configuration, setConfiguration] = useState(null);
  const [problem, setProblem] = useState(null);
  const { seen, failure, paused, lookNow } = useJobManager(jobId, vertexId);
  useEffect(() => {
    api.configuration().then(setConfiguration, setProblem);
  }, []);
  useEffect(() => remember('job', jobId), [jobId]);
  useEffect(() => remember('vertex', vertexId), [vertexId]);
  useEffect(() => remember('colour', mode === 'owner' ? null : mode), [mode]);

  // as long as it is not known, nothing can be done
  const readOnly = configuration === null || configuration['web.submit.enable'] === 'false';
  const { jobs, job, elasticity, vertex, running } = seen;
  const warnings = elasticity ? elasticity.warnings : [];
  return html`
    <header><div class="top">
      <h1>flink-meces</h1>
      ${jobs && jobs.length > 0 && html`<label class="job">
        <span class="hidden">Job</span>
        <select value=${job.jid} onChange=${(e) => { setJobId(e.target.value); setVertexId(null); }}>
          ${jobs.map((j) => html`<option key=${j.jid} value=${j.jid}>${j.name} (${j.state.toLowerCase()})</option>`)}
        </select>
      </label>`}
      ${job && html`<code class="id" title="the id of the job">${job.jid}</code>`}
      <span class="space"></span>
      ${configuration && readOnly && html`<span class="tag" title="web.submit.enable is false">only shows</span>`}
      <span class=${`look ${failure ? 'lost' : ''}`} role="status">${failure ? 'no answer' : paused ? 'paused' : running ? 'every second' : 'every 5 s'}</span>
      <a href=${job && !ENDED.includes(job.state) ? inFlink(seen.flink, job.jid) : '../'}>Flink’s page</a>
    </div></header>
    <main>
      ${failure && html`<${Words} failure=${failure} />`}
      ${problem && html`<${Words} failure=${problem} onClose=${() => setProblem(null)} />`}
      ${jobs && !job && html`<p class="empty">No job runs here. Submit one: it shows up by itself.</p>`}
      ${job && ENDED.includes(job.state) && html`<p class="empty">This job has ended: it is ${job.state.toLowerCase()}.</p>`}
      ${seen.refusal && html`<p class="notice warning">${seen.refusal.message}</p>`}
      ${elasticity && elasticity.refusal && html`<p class="notice warning"><strong>This job cannot be rescaled.</strong> ${elasticity.refusal}</p>`}
      ${warnings.length > 0 && html`<details class="notice warning" open=${warnings.length < 3}>
        <summary>${plural(warnings.length, 'warning')}</summary><ul>${warnings.map((w) => html`<li key=${w}>${w}</li>`)}</ul></details>`}
      ${running && html`<${Running} job=${job.jid} rescale=${running} readOnly=${readOnly} onChanged=${lookNow} />`}
      ${seen.vertices && seen.vertices.length > 0 && html`<${Vertices}
        job=${job.jid}
        flink=${seen.flink}
        vertices=${seen.vertices}
        elasticity=${elasticity}
        required=${seen.required}
        chosen=${vertex && vertex.id}
        onChoose=${setVertexId}
      />`}
      ${vertex && html`<${VertexPanel} key=${vertex.id} vertex=${vertex} keyGroups=${seen.keyGroups} samples=${seen.samples} rescales=${seen.rescales} running=${running} mode=${mode} setMode=${setMode} />`}
      ${vertex && !running && configuration && !elasticity.refusal && html`<${Planner}
        key=${`plan ${vertex.id}`}
        job=${job.jid}
        vertex=${vertex}
        owners=${ownersOf(vertex)}
        slots=${seen.slots}
        defaultStrategy=${configuration['meces.rescale.strategy'] || 'minimal-move'}
        readOnly=${readOnly}
        onBegun=${lookNow}
      />`}
      ${elasticity && html`<${History} rescales=${seen.rescales} />`}
    </main>
  `;
}

const place = document.getElementById('app');
place.textContent = '';
render(html`<${App} />`, place);

// A rescale that runs, and one that is planned.

import { html, useEffect, useMemo, useRef, useState, bytes, count, micros, millis, plural, rate, time, UNKNOWN } from './common.js';
import { api } from './api.js';
import { PlanPicture } from './grid.js';
import { CAUSES, STATES, STATUSES, STRATEGIES, isFinal } from './states.js';

/** Asks before something is done. It is modal: the rest of the page waits. */
export function Confirm({ title, action, danger, onConfirm, onClose, children }) {
  const dialog = useRef();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState(null);
  useEffect(() => {
    const element = dialog.current;
    element.showModal();
    // gives the focus back to what had it
    return () => element.close();
  }, []);
  async function confirm() {
    setBusy(true);
    setRefusal(null);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setRefusal(failure);
      setBusy(false);
    }
  }
  return html`<dialog ref=${dialog} aria-labelledby="confirm-title" onCancel=${(e) => { e.preventDefault(); onClose(); }}>
    <h2 id="confirm-title">${title}</h2>
    ${children}
    ${refusal && html`<${Words} failure=${refusal} />`}
    <div class="buttons">
      <button type="button" class=${danger ? 'danger' : 'primary'} disabled=${busy} onClick=${confirm}>${action}</button>
      <button type="button" disabled=${busy} onClick=${onClose}>Cancel</button>
    </div>
  </dialog>`;
}

/** A refusal or failure, in the words of the JobManager. */
export function Words({ failure, onClose }) {
  return html`<div class="notice error" role="alert">
    <p>${failure.message}</p>
    ${failure.more && html`<details><summary>More</summary><pre>${failure.more}</pre></details>`}
    ${onClose && html`<button type="button" class="quiet" onClick=${onClose}>Dismiss</button>`}
  </div>`;
}

const goals = (rescale) => rescale.vertices.map((v) => `${v.name} ${v.from} → ${v.to}`).join(', ');

/** A rescale in a line. */
export const inWords = (rescale) =>
  `${goals(rescale)}, ${STATUSES[rescale.status] || rescale.status}, ${time(rescale['start-time'])}, ${millis(rescale['duration-ms'])}`;

/** How the rescale stands that runs now. */
export function Running({ job, rescale, readOnly, onChanged }) {
  const [asked, setAsked] = useState(null);
  const total = Math.max(rescale['units-total'], rescale['units-migrated'], 1);
  const onDemand = rescale['units-on-demand'];
  const background = rescale['units-migrated'] - onDemand;
  const [does, waits] = STATES[rescale.state] || (rescale.status === 'RECOVERING'
    ? ['A failure has interrupted it', 'waits until the job runs again']
    : [rescale.state || 'Ends', '']);
  const backwards = rescale.status === 'ROLLING_BACK';
  const missing = rescale['missing-slots'];
  return html`<section class="panel running" aria-labelledby="running-title">
    <h2 id="running-title">
      <span class="pulse" aria-hidden="true"></span>
      ${backwards ? 'Rolling back' : rescale.status === 'RECOVERING' ? 'Recovering' : 'Rescaling'} ${goals(rescale)}
    </h2>
    <p class="state" role="status">
      <code>${rescale.state || rescale.status}</code> ${does}; ${waits}.
    </p>
    ${missing > 0 && html`<p class="notice warning">
      ${plural(missing, 'slot')} ${missing === 1 ? 'is' : 'are'} missing. Start TaskManagers with ${missing === 1 ? 'it' : 'them'} before ${time(rescale['slots-awaited-until'])}, or the rescale is given up; the job goes on as it is.
    </p>`}
    ${rescale.interruption && html`<p class="notice warning">Interrupted: ${rescale.interruption}</p>`}
    <div class="units" role="img" aria-label=${`${rescale['units-migrated']} of ${rescale['units-total']} units have moved, ${onDemand} of them on demand`}>
      <span class="demand" style=${{ width: `${(100 * onDemand) / total}%` }}></span>
      <span class="background" style=${{ width: `${(100 * background) / total}%` }}></span>
    </div>
    <p class="legend units-legend">
      <span><i class="demand"></i>${count(onDemand)} on demand</span>
      <span><i class="background"></i>${count(background)} in the background</span>
      <span><i></i>${count(Math.max(0, rescale['units-total'] - rescale['units-migrated']))} to go</span>
    </p>
    <dl class="figures">
      <${Figure} name="Steps" value=${`${rescale['steps-completed']} of about ${rescale['steps-total']}`} />
      <${Figure} name="State moved" value=${bytes(rescale.bytes)} />
      <${Figure} name="Running for" value=${millis(rescale['duration-ms'])} />
      <${Figure} name="First record at a new owner" value=${rescale['first-record-ms'] === null ? 'not yet' : `after ${millis(rescale['first-record-ms'])}`} />
      <${Figure} name="Records that waited" value=${count(rescale['records-waited'])} />
      <${Figure} name="Longest wait" value=${micros(rescale['longest-wait-micros'])} />
      <${Figure} name="Longest stop for a unit" value=${micros(rescale['longest-stop-micros'])} />
      <${Figure} name="Longest without checkpoint" value=${millis(rescale['longest-without-checkpoint-ms'])} />
      ${rescale.attempt > 1 && html`<${Figure} name="Attempt" value=${rescale.attempt} />`}
    </dl>
    ${!readOnly && !backwards && html`<div class="buttons">
      <button type="button" onClick=${() => setAsked('stop')}>Stop here…</button>
      <button type="button" class="danger" onClick=${() => setAsked('rollback')}>Roll back…</button>
    </div>`}
    ${asked === 'stop' && html`<${Confirm}
      title="Stop this rescale?"
      action="Stop here"
      onConfirm=${async () => onChanged(await api.abort(job, rescale.id, 'stop'))}
      onClose=${() => setAsked(null)}
    ><p>It ends at the next step boundary. Key-groups that have moved stay where they are; the next rescale starts from there.</p><//>`}
    ${asked === 'rollback' && html`<${Confirm}
      title="Roll this rescale back?"
      action="Roll back"
      danger
      onConfirm=${async () => onChanged(await api.abort(job, rescale.id, 'rollback'))}
      onClose=${() => setAsked(null)}
    ><p>Key-groups that have moved go back to where they were, and subtasks that have been added leave.</p><//>`}
  </section>`;
}

function Figure({ name, value }) {
  return html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

/** How uneven something is: the largest of its parts, in parts of their mean. */
function unevenness(parts) {
  const sum = parts ? parts.reduce((a, b) => a + b, 0) : 0;
  return sum > 0 ? (Math.max(...parts) * parts.length) / sum : null;
}

const times = (factor) => (factor === null ? UNKNOWN : `${factor.toFixed(2)} × mean`);

function Plan({ strategy, plan, failure, owners, checked, onChoose }) {
  const vertex = plan && plan.vertices[0];
  const moved = useMemo(
    () => new Map(vertex ? vertex.steps.flat().map((move) => [move['key-group'], move.to]) : []),
    [vertex],
  );
  const text = vertex
    ? `${count(moved.size)} of ${count(owners.length)} key-groups move, in at least ${plural(vertex.steps.length, 'step')}`
    : '';
  return html`<label class=${`plan ${checked ? 'checked' : ''}`}>
    <span class="plan-name">
      <input type="radio" name="strategy" value=${strategy} checked=${checked} disabled=${Boolean(failure)} onChange=${onChoose} />
      <strong>${strategy}</strong>
    </span>
    <span class="muted">${STRATEGIES[strategy] || 'of the configuration'}</span>
    ${failure && html`<span class="refused">${failure.message}</span>`}
    ${vertex && html`<${PlanPicture} owners=${owners} moved=${moved} label=${`${strategy}: ${text}`} />
      <span>${text}</span>
      <span class="muted">
        ${vertex['load-after'] && `busiest subtask ${times(unevenness(vertex['load-after']))}, ${rate(Math.max(...vertex['load-after']))}/s`}
        ${!vertex['load-after'] && `largest share ${times(unevenness(vertex.after))}`}
      </span>`}
    ${!vertex && !failure && html`<span class="picture waiting"></span>`}
  </label>`;
}

const PAUSE_BEFORE_PLANS_MS = 350;

/** Choose a parallelism, look at what each strategy would do, and begin. */
export function Planner({ job, vertex, owners, slots, defaultStrategy, readOnly, refusal, onBegun }) {
  const strategies = Object.keys(STRATEGIES);
  if (!strategies.includes(defaultStrategy)) strategies.push(defaultStrategy);
  const [parallelism, setParallelism] = useState('');
  const [batchSize, setBatchSize] = useState('');
  const [strategy, setStrategy] = useState(defaultStrategy);
  const [plans, setPlans] = useState(null);
  const [asked, setAsked] = useState(false);
  const wanted = Number(parallelism);
  const isValid = parallelism !== '' && Number.isInteger(wanted) && wanted >= 1 && wanted <= vertex.capacity;
  const request = {
    vertices: [{ id: vertex.id, parallelism: wanted }],
    ...(batchSize === '' ? {} : { 'batch-size': Number(batchSize) }),
  };
  // owners change when a rescale has moved something: then the plans are others
  const situation = `${vertex.id} ${parallelism} ${batchSize} ${owners.join()}`;

  useEffect(() => {
    setPlans(null);
    if (!isValid) return undefined;
    let outdated = false;
    const timer = setTimeout(async () => {
      setPlans({});
      for (const name of strategies) {
        const result = await api.plan(job, { ...request, strategy: name }).then(
          (plan) => ({ plan }),
          (failure) => ({ failure }),
        );
        if (outdated) return;
        setPlans((others) => ({ ...others, [name]: result }));
      }
    }, PAUSE_BEFORE_PLANS_MS);
    return () => {
      outdated = true;
      clearTimeout(timer);
    };
  }, [situation]);

  const chosen = plans && plans[strategy];
  const chosenVertex = chosen && chosen.plan && chosen.plan.vertices[0];
  const moves = chosenVertex ? chosenVertex.steps.flat().length : 0;
  // subtasks share slots with those of other vertices
  const more = chosenVertex ? chosen.plan['more-slots'] : 0;
  const free = chosenVertex ? chosen.plan['free-slots'] : slots;
  return html`<section class="panel planner" aria-labelledby="planner-title">
    <h2 id="planner-title">${readOnly ? 'What a rescale would do' : 'Rescale'}</h2>
    ${refusal && html`<p class="notice warning">${refusal}</p>`}
    <form onSubmit=${(e) => { e.preventDefault(); if (!readOnly && chosenVertex) setAsked(true); }}>
      <label class="field">
        <span>Parallelism</span>
        <input
          type="number"
          name="parallelism"
          min="1"
          max=${vertex.capacity}
          step="1"
          placeholder=${vertex.parallelism}
          value=${parallelism}
          aria-describedby="parallelism-hint"
          onInput=${(e) => setParallelism(e.target.value)}
        />
      </label>
      <label class="field">
        <span>Key-groups per step</span>
        <input type="number" name="batch-size" min="1" step="1" placeholder="default" value=${batchSize} onInput=${(e) => setBatchSize(e.target.value)} />
      </label>
      ${!readOnly && html`<button type="submit" class="primary" disabled=${!chosenVertex}>Rescale…</button>`}
      <p id="parallelism-hint" class="muted hint">
        ${parallelism !== '' && !isValid
          ? `A parallelism from 1 to ${vertex.capacity} is possible.`
          : `Now ${vertex.parallelism}, at most ${vertex.capacity}. ${free === null ? '' : `${plural(free, 'free slot')}.`}`}
        ${isValid && more > 0 && free !== null && more > free && html` <strong>${plural(more, 'more slot')} ${more === 1 ? 'is' : 'are'} needed: the rescale waits for ${more === 1 ? 'it' : 'them'}.</strong>`}
      </p>
    </form>
    ${plans && html`<fieldset class="plans">
      <legend class="hidden">Strategy</legend>
      ${strategies.map((name) => html`<${Plan}
        key=${name}
        strategy=${name}
        plan=${plans[name] && plans[name].plan}
        failure=${plans[name] && plans[name].failure}
        owners=${owners}
        checked=${strategy === name}
        onChoose=${() => setStrategy(name)}
      />`)}
    </fieldset>
    <p class="legend">Bright: key-groups that move, in the colour of their new subtask. Pale: those that stay.</p>`}
    ${asked && html`<${Confirm}
      title=${`Rescale ${vertex.name} from ${vertex.parallelism} to ${wanted}?`}
      action="Rescale"
      onConfirm=${async () => {
        const { id } = await api.begin(job, { ...request, strategy });
        setParallelism('');
        await onBegun(id);
      }}
      onClose=${() => setAsked(false)}
    ><p>By ${strategy}: ${plural(moves, 'key-group')} ${moves === 1 ? 'moves' : 'move'}, in at least ${plural(chosenVertex ? chosenVertex.steps.length : 0, 'step')}, while records flow.</p>
     ${more > 0 && html`<p>${plural(more, 'more slot')} ${more === 1 ? 'is' : 'are'} needed${free === null ? '' : `; ${count(free)} ${free === 1 ? 'is' : 'are'} free`}.</p>`}<//>`}
  </section>`;
}

/** What became of earlier rescales, the newest first. */
export function History({ rescales }) {
  const ended = rescales.filter((r) => isFinal(r.status)).reverse();
  return html`<section class="panel" aria-labelledby="history-title">
    <h2 id="history-title">History</h2>
    ${ended.length === 0
      ? html`<p class="muted">No rescale has ended yet.</p>`
      : html`<div class="scroll" tabindex="0" role="group" aria-labelledby="history-title"><table class="history">
      <thead><tr>
        <th scope="col">Began</th><th scope="col">Rescale</th><th scope="col" class="minor">Asked by</th><th scope="col">Outcome</th>
        <th scope="col" class="number">Took</th><th scope="col" class="number minor">Units</th>
        <th scope="col" class="number minor">On demand</th><th scope="col" class="number">State</th>
        <th scope="col" class="number" title="the longest that a record waited for its state">Longest wait</th>
        <th scope="col" class="number minor" title="the longest that a unit kept a task from its records">Longest stop</th>
        <th scope="col" class="number" title="the longest time without a completed checkpoint">Checkpoint gap</th>
      </tr></thead>
      <tbody>${ended.map((r) => html`<tr key=${r.id}>
        <td><time datetime=${new Date(r['start-time']).toISOString()}>${time(r['start-time'])}</time></td>
        <td class="wrap">${goals(r)}</td>
        <td class="minor">${CAUSES[r.cause] || r.cause || UNKNOWN}</td>
        <td class="wrap"><span class=${`outcome ${r.status}`}>${STATUSES[r.status] || r.status}</span>
          ${r.failure && html`<span class="why">${r.failure}</span>`}</td>
        <td class="number">${millis(r['duration-ms'])}</td>
        <td class="number minor">${count(r['units-migrated'])}</td>
        <td class="number minor">${count(r['units-on-demand'])}</td>
        <td class="number">${bytes(r.bytes)}</td>
        <td class="number">${micros(r['longest-wait-micros'])}</td>
        <td class="number minor">${micros(r['longest-stop-micros'])}</td>
        <td class="number">${millis(r['longest-without-checkpoint-ms'])}</td>
      </tr>`)}</tbody></table></div>`}
  </section>`;
}

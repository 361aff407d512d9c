/** Searches the targets of the command palette. */
import type { LinkProps } from '@tanstack/react-router'
import type { Api } from '@/api'
import { NAVIGATION } from './navigation'

export interface Target {
  kind: 'Page' | 'Agent' | 'Workflow' | 'Session' | 'Run' | 'Workflow run' | 'Input'
  label: string
  /** Shown next to the label to tell similar targets apart. */
  detail: string
  link: Pick<LinkProps, 'to' | 'params' | 'search'>
}

export interface Known {
  agents: Pick<Api.AgentSummary, 'name' | 'description'>[]
  workflows: Pick<Api.WorkflowSummary, 'name' | 'description'>[]
  sessions: Pick<Api.SessionView, 'session_id' | 'agent_name' | 'status'>[]
  runs: Pick<Api.RunView, 'run_id' | 'session_id' | 'agent_name' | 'status'>[]
  workflowRuns: Pick<Api.WorkflowRunSummary, 'workflow_run_id' | 'workflow_name' | 'status'>[]
}

const PAGES: Target[] = [
  ...NAVIGATION.flat().map(({ to, label }): Target => ({ kind: 'Page', label, detail: '', link: { to } })),
  { kind: 'Page', label: 'New run', detail: '', link: { to: '/runs/new' } },
  { kind: 'Page', label: 'New agent', detail: '', link: { to: '/agents/new' } },
  { kind: 'Page', label: 'New workflow', detail: '', link: { to: '/workflows/new' } },
  { kind: 'Page', label: 'Add a schema', detail: '', link: { to: '/schemas/new' } },
]

function targetsOf({ agents, workflows, sessions, runs, workflowRuns }: Known): Target[] {
  return [
    ...PAGES,
    ...agents.map(({ name, description }): Target => ({ kind: 'Agent', label: name, detail: description, link: { to: '/agents/$name', params: { name } } })),
    ...workflows.map(({ name, description }): Target => ({
      kind: 'Workflow', label: name, detail: description, link: { to: '/workflows/$name', params: { name } },
    })),
    ...sessions.map(({ session_id: id, agent_name, status }): Target => ({
      kind: 'Session', label: agent_name, detail: `${status} · ${id}`, link: { to: '/sessions/$sessionId', params: { sessionId: id } },
    })),
    ...runs.map(({ run_id: run, session_id: id, agent_name, status }): Target => ({
      kind: 'Run', label: agent_name, detail: `${status} · ${run}`, link: { to: '/sessions/$sessionId', params: { sessionId: id }, search: { run } },
    })),
    ...workflowRuns.map(({ workflow_run_id: id, workflow_name, status }): Target => ({
      kind: 'Workflow run', label: workflow_name, detail: `${status} · ${id}`, link: { to: '/workflow-runs/$workflowRunId', params: { workflowRunId: id } },
    })),
  ]
}

/** A complete id links to its page even if it is in no list. */
function byId(text: string): Target[] {
  if (/^ses_\w{20,}$/.test(text)) return [{ kind: 'Session', label: text, detail: '', link: { to: '/sessions/$sessionId', params: { sessionId: text } } }]
  if (/^run_\w{20,}$/.test(text)) return [{ kind: 'Run', label: text, detail: '', link: { to: '/runs/$runId', params: { runId: text } } }]
  if (/^wfr_\w{20,}$/.test(text)) {
    return [{ kind: 'Workflow run', label: text, detail: '', link: { to: '/workflow-runs/$workflowRunId', params: { workflowRunId: text } } }]
  }
  if (/^inp_\w{20,}$/.test(text)) return [{ kind: 'Input', label: text, detail: '', link: { to: '/inputs/$inputId', params: { inputId: text } } }]
  return []
}

/** The maximum number of results; typing more narrows them down. */
const MAX_RESULTS = 30

/** The matching targets, labels that start with the text first. Only pages, agents and workflows while nothing is typed. */
export function findTargets(known: Known, typed: string): Target[] {
  const text = typed.trim().toLowerCase()
  const all = targetsOf(known)
  if (text === '') return all.filter(({ kind }) => kind === 'Page' || kind === 'Agent' || kind === 'Workflow').slice(0, MAX_RESULTS)
  const words = text.split(/\s+/)
  const matching = all.filter(({ kind, label, detail }) => {
    const whole = `${kind} ${label} ${detail}`.toLowerCase()
    return words.every((word) => whole.includes(word))
  })
  const rank = ({ label }: Target) => (label.toLowerCase().startsWith(text) ? 0 : label.toLowerCase().includes(text) ? 1 : 2)
  const ranked = matching.map((target, index) => ({ target, index })).sort((a, b) => rank(a.target) - rank(b.target) || a.index - b.index)
  const targets = ranked.map(({ target }) => target)
  const exact = byId(text).filter((one) => !targets.some(({ detail }) => detail.endsWith(one.label)))
  return [...exact, ...targets].slice(0, MAX_RESULTS)
}

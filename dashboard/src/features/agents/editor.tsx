import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useRights } from '@/api/role'
import { Leaving, OnlyReads, Problems, Verdict } from '@/components/editing'
import { Page } from '@/components/page'
import { Locked, ReadOnlyProvider } from '@/components/read-only'
import type { SchemaView } from '@/components/schema'
import { TryRun } from '@/components/try-run'
import { Badge, Tab, TabList, TabPanel, Tabs } from '@/components/ui'
import { UnreadProvider } from '@/components/unread'
import type { JsonMap } from '@/lib/lossless'
import { inProject } from '@/lib/paths'
import type { Agent } from './api'
import { ConflictDialog } from './conflict-dialog'
import { DraftProvider, useDraft, useNewDraft } from './draft'
import { EditorActions } from './editor-actions'
import { GeneralTab } from './general-tab'
import { InputTab } from './input-tab'
import { InvariantsTab } from './invariants-tab'
import { TABS, type TabId, tabOf } from './model'
import { OutputTab } from './output-tab'
import { PromptTab } from './prompt-tab'
import { AgentNotices } from './notices'
import { ToolsTab } from './tools-tab'
import { useSaving } from './use-saving'

interface Props {
  /** As it is stored now, or was last; null for a new one. */
  agent: Agent | null
  /** Whether somebody deleted it meanwhile. */
  gone: boolean
  initial: JsonMap
}

/** An agent in all its parts. What is typed stays in the page until it is saved. */
export function AgentEditor({ agent, gone, initial }: Props) {
  const [base, setBase] = useState(agent)
  const draft = useNewDraft(initial, base?.blueprint ?? null)
  const saving = useSaving({ draft, base, setBase, stored: agent, gone })
  const changed = draft.dirty && (base !== null || draft.blueprint !== initial || draft.unread.problems.length > 0)
  const name = base?.view.summary.name ?? 'New agent'
  const broken = draft.problems.some((problem) => problem.severity === 'error')
  return (
    <DraftProvider value={draft}>
      <Page
        title={name}
        heading={
          <>
            {name}
            {base === null ? null : <Verdict of={{ valid: base.view.summary.valid && !broken, problems: draft.problems }} />}
            {changed ? <Badge tone="warning">Unsaved changes</Badge> : null}
          </>
        }
        lead={<Home agent={base} />}
        actions={<EditorActions base={base} changed={changed} saving={saving} />}
      >
        <OnlyReads what="agents" changed={changed} />
        <AgentNotices base={base} saving={saving} />
        {/* A new one goes on in a page of its own: what was typed while it is made would stay behind. */}
        <div inert={base === null && saving.save.isPending}>
          <UnreadProvider value={draft.unread.report}>
            <EditorTabs key={draft.round} agent={base} changed={changed} />
          </UnreadProvider>
        </div>
      </Page>
      <ConflictDialog base={base} saving={saving} />
      <Leaving changed={changed} />
    </DraftProvider>
  )
}

/** Where it is saved. */
function Home({ agent }: { agent: Agent | null }) {
  if (agent === null) return <>Saved in the database.</>
  if (!agent.view.file) return <>Saved in the database.</>
  return (
    <>
      Saved in <code title={agent.view.file} className="break-all">{inProject(agent.view.file)}</code>. Saving changes only what you edited and keeps comments.
    </>
  )
}

function EditorTabs({ agent, changed }: { agent: Agent | null; changed: boolean }) {
  const draft = useDraft()
  const { administers } = useRights()
  const navigate = useNavigate()
  const search: { tab?: string; as?: string } = useSearch({ strict: false })
  const tab = TABS.find(({ id }) => id === search.tab)?.id ?? 'general'
  const view: SchemaView = search.as === 'code' ? 'code' : 'fields'
  const go = (next: { tab?: TabId; as?: SchemaView }) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...next }), replace: true })
  const onView = (next: SchemaView) => go({ as: next })
  // A tab that was opened stays, out of sight: what is typed there and is no value yet is nowhere else.
  const [opened, setOpened] = useState<readonly TabId[]>([tab])
  if (!opened.includes(tab)) setOpened([...opened, tab])
  return (
    <Tabs value={tab} onValueChange={(next) => go({ tab: next as TabId })}>
      <TabList aria-label="Parts of the agent">
        {TABS.filter(({ id }) => id !== 'try' || agent !== null).map(({ id, label }) => (
          <Tab key={id} value={id}>
            {label}
            <Count problems={draft.problems.filter((problem) => tabOf(problem) === id).length} />
          </Tab>
        ))}
      </TabList>
      {TABS.filter(({ id }) => opened.includes(id)).map(({ id }) => (
        <TabPanel key={id} value={id} forceMount hidden={id !== tab} className="flex flex-col gap-4">
          {id === 'try' ? null : <Problems problems={draft.problems.filter((problem) => tabOf(problem) === id)} />}
          <ReadOnlyProvider value={!administers}>
            {id === 'input' ? <InputTab view={view} onView={onView} /> : null}
            {id === 'output' ? <OutputTab view={view} onView={onView} /> : null}
            <Locked>
              {id === 'general' ? <GeneralTab isNew={agent === null} /> : null}
              {id === 'prompt' ? <PromptTab /> : null}
              {id === 'tools' ? <ToolsTab /> : null}
              {id === 'invariants' ? <InvariantsTab /> : null}
            </Locked>
          </ReadOnlyProvider>
          {id === 'try' && agent !== null ? <Trial agent={agent} changed={changed} /> : null}
        </TabPanel>
      ))}
    </Tabs>
  )
}

function Trial({ agent, changed }: { agent: Agent; changed: boolean }) {
  return (
    <>
      {changed ? (
        <p className="rounded-md bg-warning-soft px-3 py-2 text-warning">
          This runs the saved agent, without your unsaved changes.
        </p>
      ) : null}
      <TryRun key={agent.view.hash} agentName={agent.view.summary.name} executor={agent.view.summary.executor_type} />
    </>
  )
}

function Count({ problems }: { problems: number }) {
  if (problems === 0) return null
  return (
    <span className="relative rounded-full bg-warning-soft px-1.5 text-[0.86rem] text-warning">
      {problems}
      <span className="sr-only"> problems</span>
    </span>
  )
}

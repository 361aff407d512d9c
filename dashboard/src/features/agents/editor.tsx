import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useRights } from '@/api/role'
import { LeaveGuard, ReadOnlyNotice, Problems, Verdict } from '@/components/editing'
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
  /** The latest known stored version; null for a new agent. */
  agent: Agent | null
  /** Whether it was deleted elsewhere. */
  gone: boolean
  initial: JsonMap
}

/** The agent editor. Changes stay in the page until they are saved. */
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
        lead={<StoredIn agent={base} />}
        actions={<EditorActions base={base} changed={changed} saving={saving} />}
      >
        <ReadOnlyNotice what="agents" changed={changed} />
        <AgentNotices base={base} saving={saving} />
        {/* A new agent continues on its own page, so text typed during the save would be lost. */}
        <div inert={base === null && saving.save.isPending}>
          <UnreadProvider value={draft.unread.report}>
            <EditorTabs key={draft.round} agent={base} changed={changed} />
          </UnreadProvider>
        </div>
      </Page>
      <ConflictDialog base={base} saving={saving} />
      <LeaveGuard changed={changed} />
    </DraftProvider>
  )
}

function StoredIn({ agent }: { agent: Agent | null }) {
  if (!agent?.view.file) return <>Saved in the database.</>
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
  // Tabs stay mounted after they were opened, because invalid text is only kept in their fields.
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

import { ReactFlowProvider } from '@xyflow/react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { CodeEditor } from '@/components/code'
import { useRights } from '@/api/role'
import { LeaveGuard, ReadOnlyNotice, Verdict } from '@/components/editing'
import { Page } from '@/components/page'
import { ReadOnlyProvider } from '@/components/read-only'
import { Segmented } from '@/components/segmented'
import { Badge, Card, CardBody, CardHeader } from '@/components/ui'
import { UnreadProvider } from '@/components/unread'
import type { Workflow } from './api'
import { Board } from './board'
import { DraftProvider, useDraft, useNewDraft } from './draft'
import { EditorActions } from './editor-actions'
import { Findings } from './findings'
import { ConflictDialog, WorkflowNotices } from './notices'
import { RunDialog } from './run-dialog'
import { useSelection } from './selection'
import { useSaving } from './use-saving'

interface Props {
  /** The latest known stored version; null for a new workflow. */
  workflow: Workflow | null
  /** Whether it was deleted elsewhere. */
  gone: boolean
  initial: string
}

const VIEWS = [
  { value: 'graph', label: 'Graph' },
  { value: 'yaml', label: 'YAML' },
] as const

/** The workflow editor, as a graph or as YAML. Both edit the same text, which stays in the page until it is saved. */
export function WorkflowEditor({ workflow, gone, initial }: Props) {
  const [base, setBase] = useState(workflow)
  const draft = useNewDraft(initial, base?.document ?? null)
  const saving = useSaving({ draft, base, setBase, stored: workflow, gone })
  const selection = useSelection()
  const { administers, calls } = useRights()
  const changed = draft.dirty && (base !== null || draft.text !== initial || draft.unread.problems.length > 0)
  const readable = draft.unread.problems.length === 0
  const name = base?.view.summary.name ?? 'New workflow'
  const broken = draft.mistake !== null || draft.problems.some((problem) => problem.severity === 'error')
  return (
    <DraftProvider value={draft}>
      <Page
        fill
        title={name}
        heading={
          <>
            {name}
            {base === null ? <Badge>Draft</Badge> : <Verdict of={{ valid: !broken, problems: draft.problems }} />}
            {changed ? <Badge tone="warning">Unsaved changes</Badge> : null}
          </>
        }
        lead={<StoredIn workflow={base} />}
        actions={
          <>
            {/* Do not switch views while a field is invalid: the other view would lose its text. */}
            <Segmented label="Shown as" options={VIEWS} value={selection.view} onChange={(next) => readable && selection.show(next)} />
            <EditorActions base={base} changed={changed} saving={saving} onRun={() => selection.go({ starting: true })} />
          </>
        }
      >
        <ReadOnlyNotice what="workflows" changed={changed} />
        <WorkflowNotices base={base} saving={saving} />
        {/* A new workflow continues on its own page, so changes during the save would be lost. */}
        <div inert={base === null && saving.save.isPending} className="flex min-h-0 flex-1 flex-col">
          <ReadOnlyProvider value={!administers}>
            {selection.view === 'graph' ? (
              <UnreadProvider value={draft.unread.report}>
                <ReactFlowProvider>
                  <Board own={base?.view.summary.name ?? null} />
                </ReactFlowProvider>
              </UnreadProvider>
            ) : (
              <Yaml />
            )}
          </ReadOnlyProvider>
        </div>
      </Page>
      <ConflictDialog base={base} saving={saving} />
      {selection.starting && calls && base !== null ? (
        <RunDialog workflow={base} changed={changed} repeatedRun={selection.run} onClose={() => selection.go({ starting: undefined, run: undefined })} />
      ) : null}
      <LeaveGuard changed={changed} />
    </DraftProvider>
  )
}

function StoredIn({ workflow }: { workflow: Workflow | null }) {
  if (workflow === null) return <>Saved in the database.</>
  const { file, summary } = workflow.view
  return (
    <>
      {file ? (
        <>
          Saved in <code className="break-all">{file}</code>. Saving here drops its comments.
        </>
      ) : (
        'Saved in the database.'
      )}{' '}
      <Link to="/workflow-runs" search={{ workflow: summary.name }} className="text-accent underline">
        Runs
      </Link>
    </>
  )
}

/** A YAML comment. */
const COMMENT = /(^|\s)#/m

/** The workflow as YAML. */
function Yaml() {
  const draft = useDraft()
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 lg:flex-row">
      <div className="h-[60dvh] min-w-0 lg:h-auto lg:flex-1">
        <CodeEditor
          value={draft.text}
          onChange={(text) => draft.edit(() => text, 'yaml')}
          language="yaml"
          label="The workflow as YAML"
          findings={draft.findings}
        />
      </div>
      <Card aria-labelledby="findings" className="shrink-0 lg:w-80 lg:overflow-y-auto">
        <CardHeader title="Findings" id="findings" />
        <CardBody className="flex flex-col gap-3">
          <Findings problems={draft.problems} />
          {COMMENT.test(draft.text) ? <p className="text-muted">Comments stay while you edit, but are not saved with the workflow.</p> : null}
        </CardBody>
      </Card>
    </div>
  )
}

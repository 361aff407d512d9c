import { useQuery } from '@tanstack/react-query'
import { ClipboardCheck, Sparkles } from 'lucide-react'
import { Suspense, lazy, useMemo, useState } from 'react'
import { FieldBuilder, countFields, readSchema } from '@/components/builder'
import { Locked } from '@/components/read-only'
import { Segmented } from '@/components/segmented'
import { Failed, Loading } from '@/components/states'
import { Badge, Button } from '@/components/ui'
import { UnreadProvider, useReport, useUnread } from '@/components/unread'
import { useDebounced } from '@/lib/debounce'
import { exactCount } from '@/lib/format'
import type { Json } from '@/lib/lossless'
import { schemaReportQuery } from './api'
import { InferDialog } from './infer-dialog'
import { Report, Verdict } from './report'

const SchemaCode = lazy(() => import('./code').then((module) => ({ default: module.SchemaCode })))

/** The server validates the schema after this pause in typing. */
const DEBOUNCE_MS = 350

/** Each field has several inputs; a browser takes seconds to render more fields than this. */
const MAX_FIELDS = 300

const VIEWS = [
  { value: 'fields', label: 'Fields' },
  { value: 'code', label: 'Code' },
] as const
export type SchemaView = (typeof VIEWS)[number]['value']

export interface SchemaEditorProps {
  value: Json
  onChange: (schema: Json) => void
  /** What the schema describes, for example "the output". */
  name: string
  view?: SchemaView
  onView?: (view: SchemaView) => void
  /** Whether to show a preview of the schema. */
  preview?: boolean
  /** Whether only an object is allowed, as for an input. */
  single?: boolean
}

/** Edits a schema as fields or as code, with the server's report. */
export function SchemaEditor({ value, onChange, name, view, onView, preview, single }: SchemaEditorProps) {
  const [ownView, setOwnView] = useState<SchemaView>('fields')
  const [reported, setReported] = useState(false)
  const [inferring, setInferring] = useState(false)
  const settled = useDebounced(value, DEBOUNCE_MS)
  const report = useQuery({ ...schemaReportQuery(settled), placeholderData: (before) => before })
  const fields = useMemo(() => countFields(readSchema(value)), [value])
  const tooMany = fields > MAX_FIELDS
  const unread = useUnread()
  useReport(unread.problems.join('; ') || null)
  const requestedView = view ?? ownView
  const [shown, setShown] = useState(requestedView)
  // Do not switch views while the input is invalid: the other view would lose it.
  if (shown !== requestedView && unread.problems.length === 0) setShown(requestedView)
  const switchTo = (next: SchemaView) => {
    if (unread.problems.length === 0) (onView ?? setOwnView)(next)
  }
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented label="Edit as" options={VIEWS} value={shown} onChange={switchTo} />
        <span role="status" className="min-w-0">
          {unread.problems.length > 0 ? (
            <Badge tone="danger">{shown === 'code' ? 'Syntax error' : 'Incomplete'}</Badge>
          ) : report.data ? (
            <Verdict report={report.data} />
          ) : null}
        </span>
        <div className="ml-auto flex flex-wrap gap-2">
          <Locked>
            <Button onClick={() => setInferring(true)}>
              <Sparkles aria-hidden /> Infer from example
            </Button>
          </Locked>
          <Button aria-expanded={reported} onClick={() => setReported(!reported)}>
            <ClipboardCheck aria-hidden /> Validate schema
          </Button>
        </div>
      </div>
      {reported && report.data && unread.problems.length === 0 ? <Report report={report.data} /> : null}
      {report.error ? <Failed error={report.error} retry={() => void report.refetch()} /> : null}
      <UnreadProvider value={unread.report}>
        {shown === 'fields' ? (
          <Locked>
            {tooMany ? (
              <TooMany fields={fields} onCode={() => switchTo('code')} />
            ) : (
              <FieldBuilder value={value} onChange={onChange} name={name} preview={preview} single={single} />
            )}
          </Locked>
        ) : (
          <Suspense fallback={<Loading label="Loading the editor" />}>
            <SchemaCode
              value={value}
              onChange={onChange}
              report={report.isPlaceholderData ? undefined : report.data}
              label={`Schema of ${name}`}
            />
          </Suspense>
        )}
      </UnreadProvider>
      <InferDialog open={inferring} onClose={() => setInferring(false)} onUse={onChange} />
    </div>
  )
}

function TooMany({ fields, onCode }: { fields: number; onCode: () => void }) {
  return (
    <div className="flex flex-col items-start gap-3">
      <p>
        This schema has {exactCount(fields)} fields. The field builder handles up to {exactCount(MAX_FIELDS)}; edit larger schemas as code.
      </p>
      <Button onClick={onCode}>Edit as code</Button>
    </div>
  )
}

import { useMemo, useState } from 'react'
import { CodeEditor } from '@/components/code'
import { Button } from '@/components/ui'
import { Segmented } from '@/components/segmented'
import { useReport } from '@/components/unread'
import { type Json, write } from '@/lib/lossless'
import { ConstraintsEditor } from './constraints-editor'
import { enumProblems, freshRoot, nameProblems, shapeOf, withShape } from './edit'
import { Kept, Unshown } from './kept'
import { type Part, readSchema, writeSchema } from './model'
import { Description, Inside } from './part-editor'

export interface BuilderProps {
  /** The schema. Keywords that the builder cannot show are kept. */
  value: Json
  onChange: (schema: Json) => void
  /** What the schema describes, for labels. */
  name?: string
  /** Whether to show the schema next to the fields, or below them on narrow screens. */
  preview?: boolean
  /** Whether only an object is allowed, as for an input; a list is not offered. */
  single?: boolean
}

interface State {
  /** The schema from which `root` was read or to which it was last written. */
  text: string
  root: Part
}

/** Edits a schema as fields. Changes that cannot be written yet, such as a field without a name, are reported as problems. */
export function FieldBuilder({ value, onChange, name = 'the output', preview = true, single = false }: BuilderProps) {
  const text = write(value)
  const [state, setState] = useState<State>(() => ({ text, root: readSchema(value) }))
  let { root } = state
  if (state.text !== text) {
    // The schema was changed elsewhere: read it again, with new field ids.
    root = readSchema(value)
    setState({ text, root })
  }
  const problems = useMemo(() => nameProblems(root), [root])
  useReport([...problems.values(), ...enumProblems(root, name)].join('; ') || null)

  const change = (next: Part) => {
    if (nameProblems(next).size + enumProblems(next, name).length > 0) {
      setState({ text, root: next })
      return
    }
    const schema = writeSchema(next)
    setState({ text: write(schema), root: next })
    onChange(schema)
  }
  return (
    <div className="@container">
      <div className={preview ? 'grid gap-4 @4xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]' : undefined}>
        <Root root={root} onChange={change} name={name} problems={problems} single={single} />
        {preview ? <Preview schema={value} /> : null}
      </div>
    </div>
  )
}

const SHAPES = [
  { value: 'single', label: 'Single output' },
  { value: 'list', label: 'List of items' },
] as const

interface RootProps {
  root: Part
  onChange: (root: Part) => void
  name: string
  problems: ReadonlyMap<string, string>
  single: boolean
}

function Root({ root, onChange, name, problems, single }: RootProps) {
  const shape = shapeOf(root)
  if (shape === 'other') {
    return (
      <div className="flex flex-col items-start gap-3">
        <p>This schema is neither an object with fields nor a list. Edit it as code.</p>
        <Unshown schema={root.keywords} />
        <Button onClick={() => onChange(freshRoot('single'))}>Start over with fields</Button>
      </div>
    )
  }
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        {single && shape === 'single' ? null : (
          <Segmented label="Shape" options={SHAPES} value={shape} onChange={(next) => onChange(withShape(root, next))} />
        )}
        <Description part={root} name={name} onChange={onChange} className="min-w-40 flex-1" />
      </div>
      <ConstraintsEditor part={root} onChange={onChange} isRoot />
      <Kept part={root} />
      <Inside part={root} onChange={onChange} name={name} problems={problems} />
    </div>
  )
}

function Preview({ schema }: { schema: Json }) {
  return (
    <section aria-label="Preview of the schema" className="flex h-72 min-w-0 flex-col gap-1 @4xl:sticky @4xl:top-4 @4xl:h-[32rem]">
      <p className="font-medium text-muted">Preview</p>
      <div className="min-h-0 flex-1">
        <CodeEditor value={write(schema, 2)} language="json" label="Schema to be saved" readOnly />
      </div>
    </section>
  )
}

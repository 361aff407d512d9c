import { Locked } from '@/components/read-only'
import { Segmented } from '@/components/segmented'
import { SchemaEditor, type SchemaView } from '@/components/schema'
import { Card, CardBody } from '@/components/ui'
import { fromPlain } from '@/lib/lossless'
import { useDraft } from './draft'

const FRESH = fromPlain({
  type: 'object',
  properties: { text: { type: 'string', description: 'What to work on', minLength: 1 } },
  required: ['text'],
  additionalProperties: false,
})

const KINDS = [
  { value: 'prompt', label: 'A prompt' },
  { value: 'own', label: 'Own fields' },
] as const

interface Props {
  view: SchemaView
  onView: (view: SchemaView) => void
}

/** What may go in. */
export function InputTab({ view, onView }: Props) {
  const { blueprint, set } = useDraft()
  const schema = blueprint.get('parameters_schema') ?? null
  const own = schema !== null
  return (
    <Card>
      <CardBody className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center gap-3">
          <Locked>
            <Segmented
              label="What goes in"
              options={KINDS}
              value={own ? 'own' : 'prompt'}
              onChange={(kind) => set(['parameters_schema'], kind === 'own' ? FRESH : undefined)}
            />
          </Locked>
          <p className="text-muted">
            {own
              ? 'Exactly these fields; the model gets them in an <inputs> block. Checked before anything is queued.'
              : 'The agent takes {"prompt": "…"}, a text that is not empty, and the model gets it as it is.'}
          </p>
        </div>
        {own ? (
          <SchemaEditor
            name="the input"
            value={schema}
            onChange={(next) => set(['parameters_schema'], next)}
            view={view}
            onView={onView}
          />
        ) : null}
      </CardBody>
    </Card>
  )
}

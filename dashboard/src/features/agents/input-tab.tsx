import { Locked } from '@/components/read-only'
import { Segmented } from '@/components/segmented'
import { SchemaEditor, type SchemaView } from '@/components/schema'
import { Card, CardBody } from '@/components/ui'
import { fromPlain } from '@/lib/lossless'
import { useDraft } from './draft'

const NEW_SCHEMA = fromPlain({
  type: 'object',
  properties: { text: { type: 'string', description: 'The text to work on', minLength: 1 } },
  required: ['text'],
  additionalProperties: false,
})

const KINDS = [
  { value: 'prompt', label: 'Prompt' },
  { value: 'own', label: 'Fields' },
] as const

interface Props {
  view: SchemaView
  onView: (view: SchemaView) => void
}

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
              label="Input"
              options={KINDS}
              value={own ? 'own' : 'prompt'}
              onChange={(kind) => set(['parameters_schema'], kind === 'own' ? NEW_SCHEMA : undefined)}
            />
          </Locked>
          <p className="text-muted">
            {own
              ? 'Callers send these fields. They are validated before a run is queued; the model gets them in an <inputs> block.'
              : 'Callers send {"prompt": "…"}. The model gets the text unchanged.'}
          </p>
        </div>
        {own ? (
          <SchemaEditor
            name="the input"
            single
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

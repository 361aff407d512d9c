import { X } from 'lucide-react'
import { Button, Card, CardBody, CardHeader } from '@/components/ui'
import { at, write } from '@/lib/lossless'
import { useDraft } from './draft'
import { unknownFields } from './model'

/** Unknown fields, such as misspelt ones. */
export function UnknownFields() {
  const { blueprint, set } = useDraft()
  const fields = unknownFields(blueprint)
  if (fields.length === 0) return null
  return (
    <Card aria-labelledby="unknown">
      <CardHeader title="Unknown fields" id="unknown" />
      <CardBody className="flex flex-col gap-2">
        {fields.map((path) => (
          <div key={path.join('.')} className="flex items-center gap-2">
            <code className="min-w-0 flex-1 break-all">
              {path.join('.')}: {write(at(blueprint, ...path) ?? null)}
            </code>
            <Button size="small" onClick={() => set(path, undefined)}>
              <X aria-hidden /> Remove {path.at(-1)}
            </Button>
          </div>
        ))}
      </CardBody>
    </Card>
  )
}

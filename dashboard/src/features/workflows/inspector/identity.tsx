import { useState } from 'react'
import { Field, Input } from '@/components/ui'
import { useDraft } from '../draft'
import { renameNode } from '../edit'
import { idFault } from '../model'
import { useLook } from '../selection'
import { TextPart } from './fields'
import { useNode } from './node'

/** What a node is called. The new name is taken when the field is left, for everybody who names it. */
export function Identity() {
  const { node } = useNode()
  const { graph, edit, unread } = useDraft()
  const look = useLook()
  const [typed, setTyped] = useState(node.id)
  // With another name, it is another node to the page, and what cannot be read yet would be lost.
  const held = unread.problems.length > 0 ? 'fix the other invalid field first' : null
  const fault = typed === node.id ? null : (held ?? idFault(typed, graph, node.id))
  const rename = () => {
    if (typed === node.id) return
    if (fault !== null) return setTyped(node.id)
    edit(renameNode(node.id, typed))
    look.select({ node: typed })
  }
  return (
    <div className="flex flex-col gap-3 px-4 py-3">
      <Field label="Id" error={fault ?? undefined} hint="Used in templates and conditions.">
        {(ids) => (
          <Input
            {...ids}
            className="font-mono"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={rename}
            onKeyDown={(event) => {
              if (event.key === 'Enter') rename()
              if (event.key === 'Escape') setTyped(node.id)
            }}
          />
        )}
      </Field>
      <TextPart path={['description']} label="Description" oneLine />
    </div>
  )
}

import { useState } from 'react'
import { Field, Input } from '@/components/ui'
import { useDraft } from '../draft'
import { renameNode } from '../edit'
import { idFault } from '../model'
import { useSelection } from '../selection'
import { TextPart } from './fields'
import { useNode } from './node'

/** The id and description of a node. A new id is applied when the field loses the focus, and all references are renamed. */
export function Identity() {
  const { node } = useNode()
  const { graph, edit, unread } = useDraft()
  const selection = useSelection()
  const [typed, setTyped] = useState(node.id)
  // Renaming remounts the inspector, so invalid text in other fields would be lost.
  const blocked = unread.problems.length > 0 ? 'fix the other invalid field first' : null
  const fault = typed === node.id ? null : (blocked ?? idFault(typed, graph, node.id))
  const rename = () => {
    if (typed === node.id) return
    if (fault !== null) return setTyped(node.id)
    edit(renameNode(node.id, typed))
    selection.select({ node: typed })
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

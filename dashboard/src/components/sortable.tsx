/** A list that can be reordered by dragging, or with the keyboard on an item's handle. */
import {
  type Announcements, DndContext, type DragEndEvent, KeyboardSensor, type Modifier, PointerSensor, closestCenter, useSensor,
  useSensors,
} from '@dnd-kit/core'
import { SortableContext, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { CSS } from '@dnd-kit/utilities'
import { GripVertical } from 'lucide-react'
import type { ReactNode } from 'react'
import { cn } from '@/lib/cn'

/** Smaller movements count as a click. */
const DRAG_PIXELS = 4

const vertical: Modifier = ({ transform }) => ({ ...transform, x: 0, scaleX: 1, scaleY: 1 })

interface Props<T> {
  items: readonly T[]
  label: string
  /** The name of an item for announcements and its handle. */
  nameOf: (item: T) => string
  onMove: (from: number, to: number) => void
  /** Renders an item with the handle in it. */
  children: (item: T, handle: ReactNode, index: number) => ReactNode
  className?: string
}

export function SortableList<T extends { readonly id: string }>({ items, label, nameOf, onMove, children, className }: Props<T>) {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: DRAG_PIXELS } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  )
  const indexOf = (id: unknown) => items.findIndex((item) => item.id === id)
  const end = ({ active, over }: DragEndEvent) => {
    const [from, to] = [indexOf(active.id), indexOf(over?.id)]
    if (from !== -1 && to !== -1 && from !== to) onMove(from, to)
  }
  const nameById = (id: unknown) => {
    const item = items[indexOf(id)]
    return item === undefined ? '' : nameOf(item)
  }
  const positionById = (id: unknown) => `position ${indexOf(id) + 1} of ${items.length}`
  const announcements: Announcements = {
    onDragStart: ({ active }) => `${nameById(active.id)} is picked up at ${positionById(active.id)}`,
    onDragOver: ({ active, over }) =>
      over && over.id !== active.id ? `${nameById(active.id)} would move to ${positionById(over.id)}` : undefined,
    onDragEnd: ({ active, over }) => (over ? `${nameById(active.id)} is dropped at ${positionById(over.id)}` : 'Nothing moved'),
    onDragCancel: ({ active }) => `${nameById(active.id)} stays where it was`,
  }
  const instructions =
    'To move an item, press Space, then the arrow keys, then Space again to drop it. Escape cancels.'
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={closestCenter}
      modifiers={[vertical]}
      accessibility={{ announcements, screenReaderInstructions: { draggable: instructions } }}
      onDragEnd={end}
    >
      <SortableContext items={items.map((item) => item.id)} strategy={verticalListSortingStrategy}>
        <ul aria-label={label} className={className}>
          {items.map((item, index) => (
            <Item key={item.id} id={item.id} name={nameOf(item)}>
              {(handle) => children(item, handle, index)}
            </Item>
          ))}
        </ul>
      </SortableContext>
    </DndContext>
  )
}

function Item({ id, name, children }: { id: string; name: string; children: (handle: ReactNode) => ReactNode }) {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({ id })
  const handle = (
    <button
      type="button"
      ref={setActivatorNodeRef}
      {...attributes}
      {...listeners}
      aria-label={`Move ${name}`}
      className="flex h-8 w-5 shrink-0 cursor-grab touch-none items-center justify-center rounded text-faint hover:bg-hover hover:text-ink active:cursor-grabbing"
    >
      <GripVertical aria-hidden className="size-4" />
    </button>
  )
  return (
    <li
      ref={setNodeRef}
      style={{ transform: CSS.Transform.toString(transform), transition }}
      className={cn('list-none', isDragging && 'relative z-10 rounded-md opacity-90 shadow-lg ring-2 ring-accent')}
    >
      {children(handle)}
    </li>
  )
}

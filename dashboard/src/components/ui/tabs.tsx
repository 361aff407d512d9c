import { Tabs as Radix } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'

export const Tabs = Radix.Root

export function TabList({ className, ...rest }: ComponentProps<typeof Radix.List>) {
  // A horizontally scrolling element could shrink to zero height in a flex column; `shrink-0` prevents that.
  return <Radix.List className={cn('flex shrink-0 gap-1 overflow-x-auto border-b', className)} {...rest} />
}

export function Tab({ className, ...rest }: ComponentProps<typeof Radix.Trigger>) {
  return (
    <Radix.Trigger
      className={cn(
        '-mb-px inline-flex items-center gap-1.5 border-b-2 border-transparent px-3 py-1.5 font-medium whitespace-nowrap',
        'text-muted hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink',
        'focus-visible:-outline-offset-2',
        className,
      )}
      {...rest}
    />
  )
}

export function TabPanel({ className, ...rest }: ComponentProps<typeof Radix.Content>) {
  return <Radix.Content className={cn('pt-4', className)} {...rest} />
}

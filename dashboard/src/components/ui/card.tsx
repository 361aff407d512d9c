import type { ComponentProps, ReactNode } from 'react'
import { cn } from '@/lib/cn'

export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section className={cn('min-w-0 rounded-card border bg-surface', className)} {...rest} />
}

interface HeaderProps {
  title: ReactNode
  /** At the end of the title's row. */
  actions?: ReactNode
  id?: string
  className?: string
}

export function CardHeader({ title, actions, id, className }: HeaderProps) {
  return (
    <header className={cn('flex min-h-10 flex-wrap items-center justify-between gap-2 border-b px-4 py-2', className)}>
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      {actions}
    </header>
  )
}

export function CardBody({ className, ...rest }: ComponentProps<'div'>) {
  return <div className={cn('p-4', className)} {...rest} />
}

import { type VariantProps, cva } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { cn } from '@/lib/cn'

export const buttonStyle = cva(
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors ' +
    'disabled:cursor-not-allowed disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-on-accent hover:bg-accent-strong',
        secondary: 'border bg-surface text-ink hover:bg-hover',
        ghost: 'text-muted hover:bg-hover hover:text-ink',
        danger: 'border border-danger/40 bg-surface text-danger hover:bg-danger-soft',
      },
      size: { normal: 'h-8 px-3', small: 'h-7 px-2 text-[0.93rem]', icon: 'size-8' },
    },
    defaultVariants: { variant: 'secondary', size: 'normal' },
  },
)

type Props = ComponentProps<'button'> & VariantProps<typeof buttonStyle>

export function Button({ className, variant, size, type = 'button', ...rest }: Props) {
  return <button type={type} className={cn(buttonStyle({ variant, size }), className)} {...rest} />
}

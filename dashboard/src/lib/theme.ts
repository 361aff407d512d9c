import { observable } from './observable'

export type Theme = 'system' | 'light' | 'dark'

const STORED_AS = 'accord-theme'
const ORDER: Theme[] = ['system', 'light', 'dark']

export const theme = observable<Theme>(stored())

function stored(): Theme {
  try {
    const value = localStorage.getItem(STORED_AS)
    return ORDER.find((known) => known === value) ?? 'system'
  } catch {
    // Storage may be forbidden; the system's preference is a good answer then.
    return 'system'
  }
}

export function setTheme(value: Theme): void {
  theme.set(value)
  applyTheme()
  try {
    localStorage.setItem(STORED_AS, value)
  } catch {
    // It holds for this visit.
  }
}

export function nextTheme(value: Theme): Theme {
  return ORDER[(ORDER.indexOf(value) + 1) % ORDER.length] ?? 'system'
}

/** The attribute that tokens.css looks at; without it the system decides. */
export function applyTheme(): void {
  const root = document.documentElement
  if (theme.get() === 'system') root.removeAttribute('data-theme')
  else root.setAttribute('data-theme', theme.get())
}

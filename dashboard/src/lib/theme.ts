import { observable } from './observable'

export type Theme = 'system' | 'light' | 'dark'

const STORAGE_KEY = 'accord-theme'
const ORDER: Theme[] = ['system', 'light', 'dark']

export const theme = observable<Theme>(stored())

function stored(): Theme {
  try {
    const value = localStorage.getItem(STORAGE_KEY)
    return ORDER.find((known) => known === value) ?? 'system'
  } catch {
    // Storage may be blocked; fall back to the system's preference.
    return 'system'
  }
}

export function setTheme(value: Theme): void {
  theme.set(value)
  applyTheme()
  try {
    localStorage.setItem(STORAGE_KEY, value)
  } catch {
    // Storage may be blocked; the theme then lasts until a reload.
  }
}

export function nextTheme(value: Theme): Theme {
  return ORDER[(ORDER.indexOf(value) + 1) % ORDER.length] ?? 'system'
}

/** Sets the attribute that tokens.css reads. Without it the system's preference applies. */
export function applyTheme(): void {
  const root = document.documentElement
  if (theme.get() === 'system') root.removeAttribute('data-theme')
  else root.setAttribute('data-theme', theme.get())
}

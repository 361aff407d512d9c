/** Read-only editors for keys that cannot save: everything is visible, and the controls are disabled. */
import { type ReactNode, createContext, useContext } from 'react'
import { type Rights, useRights } from '@/api/role'

const Context = createContext(false)
export const ReadOnlyProvider = Context.Provider

export function useReadOnly(): boolean {
  return useContext(Context)
}

/** Disables the controls inside of it in a read-only editor. */
export function Locked({ children }: { children: ReactNode }) {
  return (
    <fieldset disabled={useReadOnly()} className="contents">
      {children}
    </fieldset>
  )
}

/** Shows its children only if the key allows the action. */
export function OnlyWho({ may, children }: { may: keyof Pick<Rights, 'administers' | 'calls'>; children: ReactNode }) {
  return useRights()[may] ? children : null
}

/** Editors for whoever may only read: everything is seen, and nothing can be typed that could not be saved. */
import { type ReactNode, createContext, useContext } from 'react'
import { type Rights, useRights } from '@/api/role'

const Context = createContext(false)
export const ReadOnlyProvider = Context.Provider

export function useReadOnly(): boolean {
  return useContext(Context)
}

/** Controls that change something. */
export function Locked({ children }: { children: ReactNode }) {
  return (
    <fieldset disabled={useReadOnly()} className="contents">
      {children}
    </fieldset>
  )
}

/** What is offered to those only whose key allows it. */
export function OnlyWho({ may, children }: { may: keyof Pick<Rights, 'administers' | 'calls'>; children: ReactNode }) {
  return useRights()[may] ? children : null
}

import { type InvalidateQueryFilters, type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { JsonMap } from '@/lib/lossless'
import { isAboutSent, isConflict } from './notice'

interface Stored {
  view: { hash: string; summary: { name: string } }
}

/** The requests for one kind of definition, and the queries that show it. */
interface Kind<T> {
  create: (value: JsonMap) => Promise<T>
  save: (name: string, value: JsonMap, hash: string) => Promise<T>
  remove: (name: string, hash: string) => Promise<unknown>
  one: (name: string) => QueryKey
  list: InvalidateQueryFilters
}

export interface Versions<T> {
  /** The stored version on which the draft is based. */
  base: T | null
  setBase: (version: T) => void
  /** The latest known stored version. */
  stored: T | null
  /** Whether it was deleted elsewhere. */
  gone: boolean
}

interface Editing<T> extends Versions<T> {
  draft: { value: JsonMap; dirty: boolean; complete: boolean }
  /** Whether the two versions can be shown side by side. */
  comparable: boolean
  /** Shows a newer version, where there are no local changes. */
  follow: (version: T) => void
  saved: (version: T, sent: JsonMap) => void
  open: (name: string) => Promise<void>
  leave: () => Promise<void>
}

/** Saves and deletes a definition, and detects changes made elsewhere. */
export function useSaving<T extends Stored>(kind: Kind<T>, editing: Editing<T>) {
  const { base, setBase, stored, draft } = editing
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: (value: JsonMap) =>
      base === null || editing.gone ? kind.create(value) : kind.save(base.view.summary.name, value, base.view.hash),
    onSuccess: (version, sent) => {
      const { name } = version.view.summary
      client.setQueryData(kind.one(name), version)
      void client.invalidateQueries(kind.list)
      // Stay pending until the new page is shown, so that nothing is edited in the old one.
      if (base === null) return editing.open(name)
      setBase(version)
      editing.saved(version, sent)
    },
    // Load the stored version, to show the difference or that it was deleted.
    onError: (error) =>
      isConflict(error) && base !== null ? client.invalidateQueries({ queryKey: kind.one(base.view.summary.name) }) : undefined,
  })
  const remove = useMutation({
    mutationFn: (version: T) => kind.remove(version.view.summary.name, version.view.hash),
    onSuccess: () => {
      void editing.leave()
      client.removeQueries({ queryKey: kind.one(base?.view.summary.name ?? '') })
      void client.invalidateQueries({ queryKey: kind.list.queryKey })
    },
  })
  const gone = editing.gone && !remove.isSuccess
  const isNewer = !gone && stored !== null && base !== null && stored.view.hash !== base.view.hash
  const follows = isNewer && !draft.dirty && !save.isPending
  useEffect(() => {
    if (follows && stored !== null) editing.follow(stored)
  })
  const conflicts = isNewer && isConflict(save.error) && editing.comparable
  const outdated = isAboutSent(save.error) && save.variables !== draft.value
  return {
    save,
    remove,
    stored,
    gone,
    /** Whether the page's version can be saved. */
    ready: !save.isPending && draft.complete,
    isNewer: isNewer && draft.dirty,
    /** Whether to show the conflict dialog. */
    conflicts,
    /** Why saving failed, unless it is shown elsewhere. */
    refusal: conflicts || (gone && isConflict(save.error)) || outdated ? null : save.error,
    setBase,
  }
}

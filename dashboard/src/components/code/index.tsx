import { Suspense, lazy } from 'react'
import { useReadOnly } from '../read-only'
import { Loading } from '../states'
import type { EditorProps } from './editor'

export type { Finding } from './types'

const Editor = lazy(() => import('./editor').then((module) => ({ default: module.Editor })))

/** An editor for JSON, YAML or plain text with line numbers, folding, search and findings. Its container needs a height. */
export function CodeEditor(props: EditorProps) {
  const readOnly = useReadOnly()
  return (
    <Suspense fallback={<Loading label="Loading the editor" />}>
      <Editor {...props} readOnly={props.readOnly || readOnly} />
    </Suspense>
  )
}

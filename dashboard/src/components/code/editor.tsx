/**
 * The code editor, loaded when it is needed. Use it through `CodeEditor` in index.tsx.
 *
 * It stands in a shadow root: there CodeMirror brings its styles in as constructed style sheets, which the
 * Content-Security-Policy lets through, in the place of style elements, which it does not.
 */
import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { look } from './look'
import type { Finding } from './types'

export type Language = 'json' | 'yaml' | 'text'

export interface EditorProps {
  value: string
  onChange?: (value: string) => void
  language: Language
  /** What it is, for screen readers. */
  label: string
  readOnly?: boolean
  /** Shown inline, and in the gutter. */
  findings?: Finding[]
}

const LANGUAGES: Record<Language, () => Extension> = { json, yaml, text: () => [] }

function setup(label: string): Extension[] {
  return [
    lineNumbers(),
    foldGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    lintGutter(),
    EditorView.lineWrapping,
    // The number is for tools that look for what a keyboard reaches.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
    look,
  ]
}

function diagnostics(findings: Finding[], length: number): Diagnostic[] {
  return findings.map(({ from, to, severity, message }) => ({
    from: Math.min(from, length),
    to: Math.min(Math.max(to, from), length),
    severity,
    message,
  }))
}

export function Editor({ value, onChange, language, label, readOnly = false, findings }: EditorProps) {
  const parent = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const changed = useRef(onChange)
  const first = useRef(value)
  useEffect(() => {
    changed.current = onChange
  }, [onChange])

  useEffect(() => {
    if (parent.current === null) return
    const root = parent.current.shadowRoot ?? parent.current.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          ...setup(label),
          LANGUAGES[language](),
          EditorState.readOnly.of(readOnly),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
      first.current = editor.state.doc.toString()
      editor.destroy()
      view.current = null
    }
  }, [language, label, readOnly])

  useEffect(() => {
    const editor = view.current
    if (editor === null) return
    const current = editor.state.doc.toString()
    if (current !== value) editor.dispatch({ changes: { from: 0, to: current.length, insert: value } })
  }, [value])

  useEffect(() => {
    const editor = view.current
    if (editor === null) return
    editor.dispatch(setDiagnostics(editor.state, diagnostics(findings ?? [], editor.state.doc.length)))
  }, [findings, value, language, readOnly])

  return <div ref={parent} className="h-full overflow-hidden rounded-md border border-line-strong bg-surface" />
}

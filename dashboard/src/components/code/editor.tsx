/**
 * The code editor. Use it through `CodeEditor` in index.tsx, which loads it lazily.
 *
 * It is in a shadow root, because CodeMirror then uses constructed style sheets, which the Content-Security-Policy allows,
 * instead of style elements, which it blocks.
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
import { appearance } from './appearance'
import type { Finding } from './types'

export type Language = 'json' | 'yaml' | 'text'

export interface EditorProps {
  value: string
  onChange?: (value: string) => void
  language: Language
  /** The accessible name. */
  label: string
  readOnly?: boolean
  /** Shown inline and in the gutter. */
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
    // Accessibility checkers only recognize it as focusable with an explicit tabindex.
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...lintKeymap]),
    appearance,
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
  const latestOnChange = useRef(onChange)
  const initialValue = useRef(value)
  useEffect(() => {
    latestOnChange.current = onChange
  }, [onChange])

  useEffect(() => {
    if (parent.current === null) return
    const root = parent.current.shadowRoot ?? parent.current.attachShadow({ mode: 'open' })
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: initialValue.current,
        extensions: [
          ...setup(label),
          LANGUAGES[language](),
          EditorState.readOnly.of(readOnly),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latestOnChange.current?.(update.state.doc.toString())
          }),
        ],
      }),
    })
    view.current = editor
    return () => {
      initialValue.current = editor.state.doc.toString()
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

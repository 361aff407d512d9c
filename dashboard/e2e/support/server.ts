/** The real binary, in a folder of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, vi } from 'vitest'

const binary = process.env.ACCORD_BIN ?? ''

export interface Accord {
  url: string
  folder: string
  /** Runs a command of the binary there; a failing contract is no failure of the test. */
  run: (...words: string[]) => Promise<string>
  /** Asks the API. */
  ask: <T = Record<string, unknown>>(path: string, init?: RequestInit) => Promise<T>
  /** Writes an agent's file. */
  agent: (name: string, yaml: string) => Promise<void>
  stop: () => Promise<void>
  /** Starts again, at the same address. */
  start: () => Promise<void>
  close: () => Promise<void>
}

interface Options {
  /** With the example agents of `accord init`; yes where nothing is said. */
  examples?: boolean
  /** With the files of a template of `accord init`, instead of the examples. */
  template?: string
}

export async function startAccord({ examples = true, template }: Options = {}): Promise<Accord> {
  const folder = await mkdtemp(join(tmpdir(), 'accord-e2e-'))
  const exec = promisify(execFile)
  const run = async (...words: string[]) => {
    const done = await exec(binary, words, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }).catch(
      (failed: { stdout?: string }) => ({ stdout: failed.stdout ?? '' }),
    )
    return done.stdout
  }
  if (template !== undefined) await run('init', '--template', template)
  else if (examples) await run('init')
  else await mkdir(join(folder, '.accord'))
  let server = await up(folder, '127.0.0.1:0')
  const { url } = server
  const ask: Accord['ask'] = async (path, init) => {
    const headers = { 'content-type': 'application/json', ...init?.headers }
    const response = await fetch(url + path, { ...init, headers })
    const text = await response.text()
    return (text === '' ? {} : JSON.parse(text)) as never
  }
  const stop = () => end(server.process)
  return {
    url,
    folder,
    run,
    ask,
    stop,
    agent: async (name, yaml) => {
      await mkdir(join(folder, '.accord/agents', name), { recursive: true })
      await writeFile(join(folder, '.accord/agents', name, 'agent.yaml'), yaml)
      // The folder is watched; the file is known a moment later.
      const known = async () => expect((await fetch(`${url}/agents/${name}`)).status).toBe(200)
      await vi.waitFor(known, { timeout: 10_000 })
    },
    start: async () => {
      server = await up(folder, new URL(url).host)
    },
    close: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function up(folder: string, listen: string): Promise<{ process: ChildProcess; url: string }> {
  const child = spawn(binary, ['up', '--listen', listen], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  return new Promise((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      const url = /ready at (http:\S+)/.exec(said)?.[1]
      if (url !== undefined) resolve({ process: child, url })
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.on('exit', () => reject(new Error(`accord up ended: ${said}`)))
  })
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.on('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

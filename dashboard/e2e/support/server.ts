/** Runs the real binary in a temporary folder. */
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
  /** Runs a command and returns its stdout. A non-zero exit code does not fail the test. */
  run: (...args: string[]) => Promise<string>
  /** Sends an API request. */
  ask: <T = Record<string, unknown>>(path: string, init?: RequestInit) => Promise<T>
  /** Writes an agent file and waits until the server has loaded it. */
  agent: (name: string, yaml: string) => Promise<void>
  stop: () => Promise<void>
  /** Starts the server again at the same address. */
  start: () => Promise<void>
  close: () => Promise<void>
}

interface Options {
  /** Whether to add the example agents of `accord init`; true by default. */
  examples?: boolean
  /** A template of `accord init` to use instead of the examples. */
  template?: string
}

export async function startAccord({ examples = true, template }: Options = {}): Promise<Accord> {
  const folder = await mkdtemp(join(tmpdir(), 'accord-e2e-'))
  const exec = promisify(execFile)
  const run = async (...args: string[]) => {
    const done = await exec(binary, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 }).catch(
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
      // The server watches the folder, so it loads the file a moment later.
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
  let output = ''
  return new Promise((resolve, reject) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
      const url = /ready at (http:\S+)/.exec(output)?.[1]
      if (url !== undefined) resolve({ process: child, url })
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('exit', () => reject(new Error(`accord up exited: ${output}`)))
  })
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.on('exit', () => resolve())
    child.kill('SIGTERM')
  })
}

#!/usr/bin/env node
import { networkInterfaces } from 'node:os'
import { createInterface } from 'node:readline'
import { lineOutput } from './command-line/line-output.ts'
import { openUrl } from './command-line/open-url.ts'
import { usesColours } from './command-line/uses-colours.ts'
import { externalAddresses } from './dev/network-urls.ts'
import { main } from './main.ts'

/** How long open handles may keep the process alive after a command, in milliseconds. */
const maxExitDelayMs = 5_000

// Node prints this when its own SQLite is first used. It is of no use to who serves a gateway.
const { emitWarning } = process
process.emitWarning = ((warning: string | Error, ...more: unknown[]) => {
  const isExpected = more[0] === 'ExperimentalWarning' && String(warning).startsWith('SQLite ')
  if (!isExpected) Reflect.apply(emitWarning, process, [warning, ...more])
}) as typeof process.emitWarning

const stopping = new AbortController()
const { stdin, stdout, stderr } = process

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(code)
    if (stderr.isTTY) stderr.write('\nStopping. Press Ctrl+C again to exit now.\n')
    stopping.abort()
  })
}

// A reload before the command is loaded has nothing to do, as the configuration is read after it. Workers have their primary for it.
if (process.argv[2] === 'serve') process.on('SIGHUP', () => {})

// EPIPE: the reader has exited, as `head` does.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return stopping.abort()
    stderr.write(`Cannot write the output (${error.code}).\n`)
    process.exit(1)
  })
}

const output = lineOutput(stdout)
process.on('exit', output.flush)

void main(process.argv.slice(2), {
  env: process.env,
  cwd: workingFolder(),
  print: output.print,
  log: text => void stderr.write(`${text}\n`),
  platform: process.platform,
  terminal: stdout.isTTY === true,
  colours: usesColours(process.env, stdout.isTTY === true),
  signal: stopping.signal,
  now: Date.now,
  openUrl: url => openUrl(process.platform, url),
  onLine: stdin.isTTY && stdout.isTTY ? onLine : undefined,
  networkAddresses: () => externalAddresses(networkInterfaces()),
}).then(code => {
  process.exitCode = code
  setTimeout(() => process.exit(), maxExitDelayMs).unref()
})

/** Whole lines: Ctrl+C and what else the terminal does stay as they are. */
function onLine(listener: (line: string) => void): () => void {
  const lines = createInterface({ input: stdin }).on('line', listener)
  return () => lines.close()
}

/** A working directory that was removed falls back to `.`. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return '.'
  }
}

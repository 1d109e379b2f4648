#!/usr/bin/env node
import { usesColours } from './command-line/uses-colours.ts'
import { main } from './main.ts'

/** How long what a command left open may keep the process, in milliseconds. */
const lingerMs = 5_000

const stopping = new AbortController()
const { stdout, stderr } = process

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    if (stopping.signal.aborted) process.exit(code)
    if (stderr.isTTY) stderr.write('\nStopping. Ctrl+C again ends it at once.\n')
    stopping.abort()
  })
}

// Whoever read what is printed has gone, as `head` does: there is nothing to say any more, and nobody to say it to.
for (const stream of [stdout, stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return stopping.abort()
    stderr.write(`What is printed cannot be written (${error.code}).\n`)
    process.exit(1)
  })
}

void main(process.argv.slice(2), {
  env: process.env,
  cwd: workingFolder(),
  print: text => void stdout.write(`${text}\n`),
  tell: text => void stderr.write(`${text}\n`),
  platform: process.platform,
  terminal: stdout.isTTY === true,
  colours: usesColours(process.env, stdout.isTTY === true),
  signal: stopping.signal,
  now: Date.now,
}).then(code => {
  process.exitCode = code
  setTimeout(() => process.exit(), lingerMs).unref()
})

/** One that was removed is none; what needs it says so. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return '.'
  }
}

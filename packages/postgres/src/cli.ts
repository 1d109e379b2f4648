#!/usr/bin/env node
import { command } from './command.ts'

const output = {
  out: (line: string) => void process.stdout.write(`${line}\n`),
  error: (line: string) => void process.stderr.write(`${line}\n`),
}

void command(process.argv.slice(2), process.env, process.cwd(), output).then(code => {
  process.exitCode = code
})

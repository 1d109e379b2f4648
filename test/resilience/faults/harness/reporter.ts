import type { Reporter, TestModule, TestSuite } from 'vitest/node'

/** What of the catalogue is tested here; what is left out belongs to releases. */
const expected = [...span(1, 84), ...span(86, 98)]

interface Line {
  readonly title: string
  readonly tests: number
  readonly failed: number
  readonly skipped: number
}

/** Prints one line for each fault: its number, its title, whether it passed. */
export default class FaultReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const lines = new Map<number, Line>()
    for (const module of modules) {
      for (const error of module.errors()) print(`${module.moduleId}: ${error.message}`)
      for (const suite of module.children.suites()) this.#read(suite, lines)
    }
    const asked = process.env.FAULTS === 'some' ? [...lines.keys()].sort((a, b) => a - b) : expected
    if (asked.length === 0) process.exitCode = 1
    for (const number of asked) print(lineOf(number, lines.get(number)))
    for (const error of unhandled) print(`unhandled: ${String((error as Error)?.stack ?? error)}`)
    const sound = asked.filter(number => lines.get(number)?.failed === 0)
    const passed = sound.filter(number => !isSkipped(lines.get(number)))
    print(`${passed.length} of ${asked.length} faults passed`)
    if (sound.length < asked.length || unhandled.length > 0) process.exitCode = 1
  }

  #read(suite: TestSuite, lines: Map<number, Line>): void {
    const [, number, title] = /^F(\d+) (.*)$/.exec(suite.name) ?? []
    if (number === undefined || title === undefined) return
    const tests = [...suite.children.allTests()]
    const inState = (state: string) => tests.filter(test => test.result().state === state)
    for (const test of inState('failed')) {
      print(`${test.fullName}\n  ${test.result().errors?.[0]?.message ?? 'failed'}`)
    }
    const before = lines.get(Number(number)) ?? { title, tests: 0, failed: 0, skipped: 0 }
    const skipped = before.skipped + inState('skipped').length
    const failed = before.failed + tests.length - inState('passed').length - inState('skipped').length
    lines.set(Number(number), { title: before.title, tests: before.tests + tests.length, failed, skipped })
  }
}

function lineOf(number: number, line: Line | undefined): string {
  const name = `F${number}`.padEnd(4)
  if (line === undefined || line.tests === 0) return `${name} NOT TESTED`
  const { title, tests, failed, skipped } = line
  if (isSkipped(line)) return `${name} ${title}: SKIPPED (${tests} tests)`
  if (failed > 0) return `${name} ${title}: FAILED (${failed} of ${tests} tests)`
  const left = skipped === 0 ? '' : `, ${skipped} skipped`
  return `${name} ${title}: passed (${tests - skipped} tests${left})`
}

function isSkipped(line: Line | undefined): boolean {
  return line !== undefined && line.tests === line.skipped
}

function span(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

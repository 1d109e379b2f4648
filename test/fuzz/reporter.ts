import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Prints one line for each target as it ends, and what it found. */
export default class FuzzReporter implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const { fuzz } = test.meta()
    const { state, errors = [] } = test.result()
    if (fuzz === undefined) print(`${test.fullName.padEnd(44)} ${state}`)
    else {
      const { name, cases, seeds, seconds, failures } = fuzz
      const count = cases.toLocaleString('en').padStart(9)
      const words = `${count} cases, seeds ${seeds.join(' ')}, ${seconds.toFixed(1)} s`
      print(`${name.padEnd(44)} ${words}, ${failures} ${failures === 1 ? 'failure' : 'failures'}`)
    }
    for (const error of errors) print(`  ${error.message}\n${causeOf(error)}`)
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const broken = modules.flatMap(module => module.errors())
    for (const error of broken) print(`outside of the targets: ${error.message}\n${error.stack ?? ''}`)
    for (const error of unhandled) print(`unhandled: ${String((error as Error)?.stack ?? error)}`)
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const failed = tests.filter(test => !['passed', 'skipped'].includes(test.result().state))
    const cases = tests.reduce((sum, test) => sum + (test.meta().fuzz?.cases ?? 0), 0)
    print(
      `${tests.length} targets, ${cases.toLocaleString('en')} cases, ${failed.length} failed, ` +
        `${unhandled.length} unhandled errors`,
    )
    if (failed.length + unhandled.length + broken.length > 0 || tests.length === 0) process.exitCode = 1
  }
}

/** A property fails because of what its check threw. */
function causeOf(error: { readonly stack?: string; readonly cause?: unknown }): string {
  const { stack = '' } =
    typeof error.cause === 'object' && error.cause !== null ? (error.cause as Error) : error
  return stack
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

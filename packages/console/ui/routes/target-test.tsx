import { useEffect, useRef, useState } from 'preact/hooks'
import type { TargetTest } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { money } from '../format/money.ts'
import { span } from '../format/span.ts'
import { StateMark } from '../parts/state-mark.tsx'
import { useSession } from '../session/session.ts'
import { hrefOf } from '../shell/location.ts'

/** A test of a target: under way, ended, or one that could not be made. */
export type TestState = 'running' | TargetTest | Error

/** The last test of a target, and what starts one. */
export function useTargetTests(
  route: string,
  provider: string,
  target: string,
): { readonly test: TestState | undefined; start(): void } {
  const { api } = useSession()
  const [test, setTest] = useState<TestState>()
  const isShown = useRef(true)
  useEffect(
    () => () => {
      isShown.current = false
    },
    [],
  )
  const start = () => {
    if (test === 'running') return
    setTest('running')
    api.testTarget(route, provider, target).then(
      result => isShown.current && setTest(result),
      (error: Error) => isShown.current && setTest(error),
    )
  }
  return { test, start }
}

/** What a test found: the status, the time, the tokens and the cost, or why it failed. */
export function TestResult({ test }: { test: TestState }) {
  if (test === 'running') {
    return (
      <p class="muted small" role="status">
        Testing …
      </p>
    )
  }
  if (test instanceof Error) {
    return (
      <p class="small" role="status">
        <StateMark look="bad" sign="✕">
          Not tested
        </StateMark>{' '}
        {test.message}
      </p>
    )
  }
  const { status, ms, error, request } = test
  const passed = status < 400
  return (
    <p class="test-result small" role="status">
      <StateMark look={passed ? 'good' : 'bad'} sign={passed ? '●' : '✕'}>
        {passed ? 'Test passed' : 'Test failed'} ({status})
      </StateMark>
      <span>{span(ms)}</span>
      {error !== undefined && <span class="name">{error}</span>}
      {request?.promptTokens !== undefined && (
        <span>
          {count(request.promptTokens)} in, {count(request.completionTokens)} out
        </span>
      )}
      {passed && request !== undefined && (
        <span>{request.cost === null ? 'no price' : money(request.cost)}</span>
      )}
      {request !== undefined && <a href={hrefOf('requests', request.id)}>Request details</a>}
    </p>
  )
}

import { describe, expect, it } from 'vitest'
import { type Fence, fencesOf } from './markdown.ts'
import { type RunningSnippet, runSnippet } from './run-snippet.ts'

/** A snippet of a page in its test. */
export interface Snippet extends Fence {
  /** Runs it; it is stopped when the test ends. `edit` changes its text before, such as its ports. */
  run(env?: Readonly<Record<string, string>>, edit?: (code: string) => string): Promise<RunningSnippet>
}

/** What has to be seen of a snippet. */
export type Check = (snippet: Snippet, others: (name: string) => Snippet) => Promise<void>

/**
 * Tests a page: one check for each of its snippets in TypeScript or shell, by name, and no snippet without
 * one. Blocks in other languages are not run.
 */
export function describePage(page: string, checks: Readonly<Record<string, Check>>): void {
  describe(page, () => {
    const fences = fencesOf(page).filter(({ language }) =>
      /^(?:ts|typescript|js|javascript|sh|bash)$/.test(language),
    )

    it('has a check for each snippet', () => {
      expect(fences.map(({ name }) => name).sort()).toEqual(Object.keys(checks).sort())
    })

    for (const [name, check] of Object.entries(checks)) {
      it(name || 'its snippet', { timeout: 180_000 }, async () => {
        const running: RunningSnippet[] = []
        const snippet = (wanted: string): Snippet => {
          const fence = fences.find(fence => fence.name === wanted)
          if (fence === undefined) throw new Error(`${page} has no snippet '${wanted}'`)
          const run: Snippet['run'] = async (env, edit = code => code) => {
            const started = await runSnippet(edit(fence.code), env)
            running.push(started)
            return started
          }
          return { ...fence, run }
        }
        try {
          await check(snippet(name), snippet)
        } finally {
          for (const started of running.reverse()) await started.stop()
        }
      })
    }
  })
}

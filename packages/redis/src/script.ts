import { createHash } from 'node:crypto'
import type { ScriptRunner } from './redis-client.ts'

/** A script that the server knows by its digest once it has run. */
export interface Script {
  run(runner: ScriptRunner, keys: readonly string[], args: readonly string[]): Promise<unknown>
}

/**
 * The text is sent only to a server that does not know it: a new one, or one that has forgotten. Rejects with what the
 * client rejects with.
 */
export function script(text: string): Script {
  const sha1 = createHash('sha1').update(text).digest('hex')
  return {
    async run(runner, keys, args) {
      try {
        return await runner.evalSha(sha1, keys, args)
      } catch (error) {
        if (!isUnknownScript(error)) throw error
        return runner.eval(text, keys, args)
      }
    },
  }
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Object && 'message' in error && String(error.message).startsWith('NOSCRIPT')
}

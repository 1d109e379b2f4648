import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A folder of one test. Call it within the test, before what is opened in it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-docs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

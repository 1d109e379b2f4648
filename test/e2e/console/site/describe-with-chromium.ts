import { describe, it } from 'vitest'
import { chromiumPath } from './chromium.ts'

/** A suite in a real browser. Where there is none it says so, and in CI it fails. */
export function describeWithChromium(name: string, suite: () => void): void {
  if (chromiumPath !== undefined) {
    describe(name, suite)
  } else if (process.env.CI === undefined) {
    console.warn(`There is no Chromium on this machine (CHROMIUM_PATH names it): not tested: ${name}`)
    describe.skipIf(true)(name, suite)
  } else {
    describe(name, () => {
      it('has a Chromium', () => {
        throw new Error('There is no Chromium on this machine: CHROMIUM_PATH names it.')
      })
    })
  }
}

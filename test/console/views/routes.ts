import { it } from 'vitest'
import { goTo } from '../site/go-to.ts'
import type { ViewTests } from '../site/views.ts'

export const routesTests: ViewTests = site => {
  it('show a breaker that opens, as it opens', async () => {
    const page = await site().open()
    const { ask } = site().service
    await goTo(page, 'Routes')
    await page.locator('[data-model=counted]').getByText('In use').waitFor()
    for (let left = 4; left > 0; left--) await ask('broken')
    const target = page.locator('[data-model=broken] [data-state=open]')
    await target.getByText('Open: it failed too often').waitFor()
    await target.getByText(/again in \d+ s/).waitFor()
  })
}

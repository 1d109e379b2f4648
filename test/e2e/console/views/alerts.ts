import { expect, it } from 'vitest'
import { goTo } from '../site/go-to.ts'
import { openBreaker } from '../site/open-breaker.ts'
import type { ViewTests } from '../site/views.ts'

export const alertsTests: ViewTests = site => {
  it('say what happened, to which key, when, and that no webhook has accepted it, without its address', async () => {
    const { keys } = site().service
    await openBreaker(site().service)
    const page = await site().open()
    await goTo(page, 'Alerts')
    const alert = page.locator('.alert[data-kind=target_down]', { hasText: 'south/broken' }).first()
    await alert.getByText('Target down').waitFor()
    await alert.getByText('Not delivered').waitFor()
    await alert.getByText('The webhook has a private address.').waitFor()
    expect(await alert.locator('time').count()).toBe(1)
    expect(await page.content()).not.toContain('s3cret')
    // An alert of a budget, which takes more than a request of this service.
    const { stored } = await keys.issue({ name: 'Nearly spent' })
    await page.route('**/api/alerts', async route => {
      const response = await route.fetch()
      const [{ failures: _, ...row }] = (await response.json()).alerts
      const text = `80 % of the budget of key ${stored.id} of this day is spent: $8.00 of $10.00.`
      const budget = {
        ...row,
        id: 'b',
        kind: 'budget',
        text,
        key: stored.id,
        source: 'api_keys',
        failures: [],
      }
      await route.fulfill({ response, json: { alerts: [budget] } })
    })
    await goTo(page, 'Routes')
    await goTo(page, 'Alerts')
    const spent = page.locator('.alert[data-kind=budget]')
    await spent.getByText('80 % of the budget of key Nearly spent of this day is spent').waitFor()
    expect(await spent.textContent()).not.toContain(stored.id)
    await page.unroute('**/api/alerts')
  })
}

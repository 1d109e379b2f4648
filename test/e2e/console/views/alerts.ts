import { expect, it } from 'vitest'
import { goTo } from '../site/go-to.ts'
import { openBreaker } from '../site/open-breaker.ts'
import type { ViewTests } from '../site/views.ts'

export const alertsTests: ViewTests = site => {
  it('say what happened, when, and that no webhook has accepted it, without its address', async () => {
    await openBreaker(site().service)
    const page = await site().open()
    await goTo(page, 'Alerts')
    const alert = page.locator('.alert[data-kind=target_down]', { hasText: 'south/broken' }).first()
    await alert.getByText('Target down').waitFor()
    await alert.getByText('Not delivered').waitFor()
    await alert.getByText('The webhook has a private address.').waitFor()
    expect(await alert.locator('time').count()).toBe(1)
    expect(await page.content()).not.toContain('s3cret')
  })
}

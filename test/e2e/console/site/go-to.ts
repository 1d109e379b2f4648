import type { Page } from 'playwright-core'

/** Goes to a view by its link. */
export async function goTo(
  page: Page,
  view: 'Overview' | 'Chat' | 'Requests' | 'Log' | 'Usage' | 'Keys' | 'Routes' | 'Alerts',
): Promise<void> {
  await page.getByRole('link', { name: view, exact: true }).click()
  await page.getByRole('heading', { name: view, level: 1 }).waitFor({ state: 'attached' })
}

/** The key that every sound request has. */
export const key = 'sk-soak'

/** The header in which a request says whose it is. */
export const idHeader = 'x-soak-id'

/** Where the gateway stands whose first byte is soon due. */
export const hastyBase = '/hasty/v1'

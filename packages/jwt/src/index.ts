export { jwt } from './jwt.ts'
export type { ClaimsOf, JwtOptions, JwtPayload } from './jwt-options.ts'

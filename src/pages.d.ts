/** Pages that `npm run build` makes of `web/`, one file each; `data` is what their JSON takes the place of. */
declare module '#pages/*' {
  export const page: string;
  export const data: string;
}

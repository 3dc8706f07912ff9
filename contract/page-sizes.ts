/** Cards on one page of the directory, unless the request specifies another number. */
export const cardsPerPage = 24;

export const maxCardsPerPage = 96;

export const cardsPerPage = 24;

export const maxCardsPerPage = 96;

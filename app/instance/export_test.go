package instance

// RenewBefore is for tests outside of this package.
const RenewBefore = renewBefore
